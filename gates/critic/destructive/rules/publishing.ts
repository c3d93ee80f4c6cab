import type { Call } from "../call.ts";
import { isDry } from "../options.ts";
import { type DoesHarm, type FindHarm, type LineRule, raising } from "./rule.ts";

/** What programs call it, at the start of their words. */
const VERBS: readonly LineRule[] = [
  ["npm", /^(?:publish|unpublish|deprecate|dist-tag (?:add|rm)|owner (?:add|rm)|access)\b/],
  ["yarn", /^(?:npm )?publish\b/],
  ["pnpm", /^(?:-r |--recursive |--filter \S+ )*publish\b/],
  [
    "bun deno jsr lerna changeset poetry uv flit hatch pdm rye vsce ovsx pub wasmer forge",
    /^(?:un)?publish\b/,
  ],
  ["maturin chrome-webstore-upload twine conan cabal luarocks stack cpan anaconda", /^(?:publish|upload)\b/],
  ["rake", /^release\b/],
  ["composer snapcraft", /^(?:publish|upload|push|release)\b/],
  ["dart flutter", /^pub publish\b/],
  ["cargo", /^(?:\+\w+ )?(?:publish|yank|owner|release)\b/],
  ["gem", /^(?:push|yank|owner)\b/],
  ["mvn mvnw", /(?:^|\s)(?:deploy|release:perform)(?:\s|$)/],
  ["gradle gradlew", /(?:^|[\s:])publish(?!\w*ToMavenLocal)\w*/],
  ["sbt", /\bpublish(?:Signed)?\b(?!Local)/],
  [
    "docker podman buildah oras helm",
    /^(?:push|cm-push|(?:image|manifest|compose) push)\b|^(?:buildx )?(?:build|bake)\b.*--push\b/,
  ],
  ["crane", /^(?:push|copy|delete|tag)\b/],
  ["skopeo", /^(?:copy\b.*docker:\/\/\S+$|delete\b)/],
  ["ko", /^(?:publish|build|apply)\b/],
  ["nuget dotnet", /^(?:nuget )?(?:push|delete)\b/],
  ["pod", /^trunk (?:push|delete|deprecate)\b/],
  ["mix", /^hex\.publish\b/],
  ["goreleaser", /^release\b(?!.*(?:--snapshot|--skip[= ]\S*publish))/],
  ["semantic-release", /^(?!.*(?:^|\s)-d(?:\s|$))/],
  ["np", /^(?!.*--preview)/],
  ["release-it", /^/],
  ["fastlane", /(?:^|\s)(?:deliver|release|supply|upload_to_\w+)\b/],
  ["gh", /^release (?:create|upload)\b/],
  ["glab", /^release create\b/],
  ["web-ext", /^sign\b/],
  ["clasp", /^deploy\b/],
  ["julia", /^register\b/],
];
const PUBLISHES = new Map(
  VERBS.flatMap(([programs, verb]) => programs.split(" ").map((program) => [program, verb] as const)),
);

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

const publishes: DoesHarm = (call) => {
  const { program, words } = call;
  const verb = PUBLISHES.get(program);
  const line = words.filter((word) => !/^(?:-q|-s|--silent|--yes|-y|--loglevel\S*)$/.test(word)).join(" ");
  if (verb !== undefined && verb.test(line)) return !isDry(call) && !isLocal(call) && !words.includes("-n");
  const isPython =
    /^python[\d.]*$/.test(program) &&
    /^(?:\S*\/)?setup\.py .*\bupload\b|^-m (?:twine upload|(?:flit|poetry|hatch) publish)\b/.test(line);
  return isPython && !isDry(call);
};

export const PUBLISHING_RULES: readonly FindHarm[] = [raising("D9", [publishes])];
