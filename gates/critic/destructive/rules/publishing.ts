import type { Call } from "../call.ts";
import { isDry } from "../options.ts";
import type { FindHarm } from "./rule.ts";

/** What each program calls it, at the start of its words. */
const PUBLISHES: Record<string, RegExp> = {
  npm: /^(?:publish|unpublish|deprecate|dist-tag (?:add|rm)|owner (?:add|rm)|access)\b/,
  yarn: /^(?:npm )?publish\b/,
  pnpm: /^(?:-r |--recursive |--filter \S+ )*publish\b/,
  bun: /^publish\b/,
  deno: /^publish\b/,
  jsr: /^publish\b/,
  lerna: /^publish\b/,
  changeset: /^publish\b/,
  cargo: /^(?:\+\w+ )?(?:publish|yank|owner|release)\b/,
  poetry: /^publish\b/,
  uv: /^publish\b/,
  flit: /^publish\b/,
  hatch: /^publish\b/,
  pdm: /^publish\b/,
  rye: /^publish\b/,
  maturin: /^(?:publish|upload)\b/,
  twine: /^upload\b/,
  gem: /^(?:push|yank|owner)\b/,
  rake: /^release\b/,
  mvn: /(?:^|\s)(?:deploy|release:perform)(?:\s|$)/,
  mvnw: /(?:^|\s)(?:deploy|release:perform)(?:\s|$)/,
  gradle: /(?:^|[\s:])publish(?!\w*ToMavenLocal)\w*/,
  gradlew: /(?:^|[\s:])publish(?!\w*ToMavenLocal)\w*/,
  sbt: /\bpublish(?:Signed)?\b(?!Local)/,
  docker:
    /^(?:push|image push|manifest push|compose push)\b|^buildx (?:build|bake)\b.*--push\b|^build\b.*--push\b/,
  podman: /^(?:push|image push|manifest push)\b/,
  buildah: /^push\b/,
  crane: /^(?:push|copy|delete|tag)\b/,
  skopeo: /^(?:copy\b.*docker:\/\/\S+$|delete\b)/,
  oras: /^push\b/,
  ko: /^(?:publish|build|apply)\b/,
  helm: /^(?:push|cm-push)\b/,
  nuget: /^(?:push|delete)\b/,
  dotnet: /^nuget (?:push|delete)\b/,
  pod: /^trunk (?:push|delete|deprecate)\b/,
  vsce: /^(?:publish|unpublish)\b/,
  ovsx: /^publish\b/,
  dart: /^pub publish\b/,
  flutter: /^pub publish\b/,
  pub: /^publish\b/,
  mix: /^hex\.publish\b/,
  goreleaser: /^release\b(?!.*(?:--snapshot|--skip[= ]\S*publish))/,
  "semantic-release": /^(?!.*(?:^|\s)-d(?:\s|$))/,
  np: /^(?!.*--preview)/,
  "release-it": /^/,
  conan: /^upload\b/,
  cabal: /^upload\b/,
  luarocks: /^upload\b/,
  stack: /^upload\b/,
  cpan: /^upload\b/,
  snapcraft: /^(?:upload|push|release)\b/,
  fastlane: /(?:^|\s)(?:deliver|release|supply|upload_to_\w+)\b/,
  gh: /^release (?:create|upload)\b/,
  glab: /^release create\b/,
  "web-ext": /^sign\b/,
  clasp: /^deploy\b/,
  "chrome-webstore-upload": /^(?:upload|publish)\b/,
  anaconda: /^upload\b/,
  composer: /^(?:publish|release)\b/,
  julia: /^register\b/,
  wasmer: /^publish\b/,
  forge: /^publish\b/,
};

const LOCAL = /^(?:https?:\/\/)?(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?=[:/]|$)/;

const isLocal = ({ words, env, program }: Call): boolean => {
  const registry = env["npm_config_registry"] ?? env["NPM_CONFIG_REGISTRY"] ?? "";
  const named = words.flatMap((word, i) => [
    word.replace(/^--[\w-]+=/, ""),
    ...(/^--(?:registry|repository-url|publish-url|index-url)$/.test(word) ? [words[i + 1] ?? ""] : []),
  ]);
  // An image's name begins with its registry.
  const images = /^(?:docker|podman|buildah|crane|skopeo|oras)$/.test(program)
    ? words.map((word) => word.replace(/^docker:\/\//, ""))
    : [];
  return [registry, ...named, ...images].some((word) => LOCAL.test(word));
};

export const PUBLISHING_RULES: readonly FindHarm[] = [
  (call) => {
    const { program, words } = call;
    const verb = PUBLISHES[program];
    const line = words.filter((word) => !/^(?:-q|-s|--silent|--yes|-y|--loglevel\S*)$/.test(word)).join(" ");
    if (verb !== undefined && verb.test(line))
      return isDry(call) || isLocal(call) || words.includes("-n") ? undefined : "D9";
    if (/^python[\d.]*$/.test(program)) {
      if (/(?:^|\/)setup\.py$/.test(words[0] ?? ""))
        return words.includes("upload") && !isDry(call) ? "D9" : undefined;
      return /^-m (?:twine upload|flit publish|poetry publish|hatch publish)\b/.test(line) && !isDry(call)
        ? "D9"
        : undefined;
    }
    return undefined;
  },
];
