import type { Call } from "../call.ts";
import { hasAny, isDry, named, readTold } from "../options.ts";
import { byLine, type DoesHarm, type FindHarm, raising } from "./rule.ts";

/** Command lines of clouds, clusters and hosters, where a word of deletion is one. */
const CLOUDS = named(
  "aws awslocal gcloud gsutil az doctl heroku fly flyctl railway vercel netlify wrangler firebase ibmcloud oci linode-cli hcloud scw vultr-cli exo openstack " +
    "eksctl kops k3d kind minikube rancher nomad consul vault argocd flux istioctl velero pulumi cdk cdktf sls serverless sam copilot amplify eb supabase neonctl neon planetscale pscale turso " +
    "atlas mongocli ccloud confluent rclone s3cmd s5cmd mc b2 gh glab tea render koyeb kamal dokku cf ctl tkn helm kubectl oc kustomize helmfile crossplane bq teleport stripe auth0 okta onelogin tofu terragrunt terraform civo upctl",
);

const DELETES =
  /^(?:rm|rb|del|uninstall|teardown|tear-down|undeploy|drop|deprovision|wipe|nuke|drain)(?:$|[-:])|(?:^|[:-])(?:delete|destroy|remove|purge|terminate|deregister|deletion)(?:$|[:-])|^(?:delete|remove|terminate|destroy)[A-Z]/;

/** Deletions that take nothing away which somebody would miss: names, caches, one's own settings. */
const MINOR =
  /(?:^|\s)(?:delete-tags?|remove-tags.*|remove-permission|delete-message|untag-\S+|(?:logs?|login|context|contexts|alias|aliases|cache|config|profile|label|labels|extension|remote|docker-credentials) (?:delete|remove|rm|unset)|auth (?:logout|remove)|config (?:unset|delete-\w+)|repo remove|plugin (?:uninstall|remove)|delete-(?:context|cluster|user))(?:\s|$)/;

/** Options whose value is no verb. */
const VALUED = named(
  "-n --namespace --context --cluster --kubeconfig --profile --region --project --zone -g --resource-group -R --repo -o --output -c --config -a --app -p -e --environment -m --message --title --body -t -b -F --description -l --label --remove-label --jq -q --query --search",
);

/** The words that are neither options nor what is said about something. */
const verbsOf = ({ words }: Call): string[] =>
  words.filter((word, i) => !word.startsWith("-") && !VALUED.has(words[i - 1] ?? "")).slice(0, 5);

const TERRAFORM = named("terraform tofu terragrunt cdktf");

const findTerraform: DoesHarm = ({ program, words }) => {
  if (!TERRAFORM.has(program)) return false;
  const { operands } = readTold(words, { withValue: ["-chdir"] });
  const verb = operands[0] === "run-all" || operands[0] === "run" ? operands[1] : operands[0];
  if (verb === "destroy") return true;
  if (verb === "apply") return words.some((word) => /^-{1,2}destroy$/.test(word));
  if (verb === "state") return operands[1] === "rm";
  return verb === "workspace" && operands[1] === "delete";
};

const findStorage = byLine([
  ["aws awslocal", /^(?:.* )?s3 (?:rb|rm)\b|s3 sync\b.*--delete\b/],
  ["gsutil", /(?:^| )(?:rm|rb)\b|rsync\b.* -\w*d/],
  ["rclone", /^(?:purge|delete|deletefile|sync|rmdirs)\b/],
]);

const findCloud: DoesHarm = (call) => {
  const { program } = call;
  if (!CLOUDS.has(program) || TERRAFORM.has(program)) return false;
  const verbs = verbsOf(call);
  if (MINOR.test(verbs.join(" "))) return false;
  if (program === "gh" || program === "glab") return findForge(call, verbs);
  if (program === "heroku" && verbs.some((verb) => /^pg:(?:reset|copy)$/.test(verb))) return true;
  if (program === "railway" && verbs[0] === "down") return true;
  if (program === "nomad" && verbs.join(" ").startsWith("job stop")) return call.words.includes("-purge");
  if ((program === "kubectl" || program === "oc") && !["delete", "drain"].includes(verbs[0] ?? ""))
    return call.words.includes("replace") && call.words.includes("--force");
  return verbs.some((verb) => DELETES.test(verb));
};

/** A request with the method DELETE, as curl and those after it take it. */
const asksToDelete = (words: readonly string[]): boolean =>
  / (?:-X|--request|--method)[ =]?DELETE /i.test(` ${words.join(" ")} `);

/** On a forge a comment or a label is nobody's loss; a repository, a release, a secret is. */
const findForge = ({ words }: Call, verbs: readonly string[]): boolean => {
  if (verbs[0] === "api") return asksToDelete(words);
  return /^repo archive|^(?:repo|release|secret|variable|environment|codespace|ssh-key|gpg-key|project|issue|run|workflow|gist) (?:delete|remove)/.test(
    verbs.join(" "),
  );
};

/** A container may go; a volume, and all that is there at once, may not. */
const findContainers: DoesHarm = ({ program, words, inside, before }) => {
  if (!/^(?:docker|podman|nerdctl|docker-compose|podman-compose)$/.test(program)) return false;
  const line = words.join(" ");
  const told = readTold(words);
  const takesAll = [...inside, ...before].some(
    (call) =>
      /^(?:docker|podman|nerdctl)$/.test(call.program) &&
      /^(?:ps|container ls|volume ls|images?)\b.*-\w*q/.test(call.words.join(" ")),
  );
  if (
    /^volume (?:rm|remove|prune)\b|^system prune\b|^(?:swarm leave|stack rm|service rm|secret rm|network prune)\b/.test(
      line,
    )
  )
    return true;
  if (/^(?:compose\b.*|.*)\bdown\b/.test(line) && (program.endsWith("-compose") || words[0] === "compose"))
    return hasAny(told, "-v", "--volumes") || words.includes("--rmi");
  if (/^(?:compose\b.*)?\brm\b/.test(line) && words[0] === "compose") return hasAny(told, "-v");
  return takesAll && /^(?:rm|kill|stop|rmi|container (?:rm|kill|stop)|image rm|volume rm)\b/.test(line);
};

const LOOPBACK = /^(?:https?:\/\/)?(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0)(?=[:/]|$)/;

/** A deletion through an API of somebody else's; an index of a search engine is a database, wherever it runs. */
const findRequests: FindHarm = ({ program, words, input }) => {
  if (!/^(?:curl|wget|http|https|xh|httpie)$/.test(program)) return undefined;
  const url = words.find((word) => /^https?:\/\//.test(word) || LOOPBACK.test(word)) ?? "";
  const isDelete = asksToDelete(words) || (program !== "curl" && words.includes("DELETE"));
  if (isDelete && /:9200\//.test(url)) return "D5";
  const body = [...words, input ?? ""].join("\n");
  const isMutation =
    /mutation\b[\s\S]*\b\w*(?:delete|destroy|remove|drop|wipe)\w*\s*\(/i.test(body) ||
    /_delete_by_query\b/.test(url);
  return (isDelete || isMutation) && !LOOPBACK.test(url) ? "D6" : undefined;
};

const FINDERS = [raising("D6", [findTerraform, findStorage, findCloud, findContainers]), findRequests];

export const CLOUD_RULES: readonly FindHarm[] = FINDERS.map(
  (find) => (call) => (isDry(call) ? undefined : find(call)),
);
