/** Words without which no rule has anything to say: the parser is only loaded for texts that have one of them. */
const PROGRAMS =
  /\b(?:git|rm|rd|rmdir|del|erase|srm|shred|unlink|truncate|rimraf|find|fd|rsync|mv|dd|mkfs|mke2fs|mkswap|wipefs|blkdiscard|badblocks|\w*fdisk|parted|s?gdisk|zpool|zfs|[lvp]v?g?remove|lvreduce|cryptsetup|mdadm|diskutil|diskpart|format|nvme|hdparm|btrfs|asr|flashrom|chmod|chown|chgrp|setfacl|chattr|shutdown|reboot|poweroff|halt|init|telinit|systemctl|crontab|userdel|deluser|groupdel|ip6?tables|nft|ufw|tee|cp|ln|install|kill|pkill|killall5?|skill|xkill|taskkill|wmic|tmux|curl|wget|fetch|iwr|irm|iex|nc|ncat|http|xh|base64|openssl|xxd|eval|psql|mysql\w*|mariadb|sqlite\S*|sqlcmd|duckdb|clickhouse|cqlsh|usql|mongo\w*|redis-cli|valkey-cli|dropdb|dropuser|pg_restore|etcdctl|influx|bq|rails|rake|prisma|sequelize|typeorm|knex|drizzle-kit|mikro-orm|manage\.py|django-admin|alembic|flask|artisan|console|mix|supabase|flyway|liquibase|dotnet|migrate|goose|dbmate|diesel|sqlx|terraform|tofu|terragrunt|kubectl|oc|helm|helmfile|docker\S*|podman|nerdctl|aws\w*|gcloud|gsutil|az|doctl|heroku|fly\w*|railway|vercel|netlify|wrangler|firebase|pulumi|cdk\w*|sls|serverless|sam|eksctl|kops|kind|k3d|minikube|nomad|consul|vault|rclone|s3cmd|mc|gh|glab|npm|npx|yarn|pnpm|bun|bunx|deno|jsr|lerna|changeset|cargo|poetry|uv|flit|hatch|pdm|twine|gem|mvnw?|gradlew?|sbt|crane|skopeo|nuget|pod|vsce|ovsx|dart|flutter|goreleaser|semantic-release|release-it|np|conan|husky|pre-commit|lefthook|wp|argocd|openstack|hcloud|linode-cli|ibmcloud|oci|scw|velero|istioctl|flux|pscale|planetscale|turso|neon\w*|atlas|confluent|ccloud|koyeb|kamal|dokku|cf|tkn|okta|auth0|stripe|amplify|copilot|eb|b2|s5cmd|openstack|civo|upctl|java|awk|gawk|cmd|powershell|trino|snowsql|surreal|cockroach|vsql|hasura|convex|bfg|python\S*|node|ruby|perl|php)\b|remove-item|stop-process|invoke-|\(\)\s*\{|>\s*(?:\/|~|\.git\/|["'$])/i;

/** Whether a command is worth reading with the shell parser at all. */
export const mayDestroy = (text: string): boolean => PROGRAMS.test(text);

const PROSE =
  /^(?:the|an?|and|then|i|i'll|i'm|we|it|its|is|are|was|to|of|that|this|so|because|before|after|should|will|would|not|don't|never|please|let's|only|when|can|must|have|has)$/i;
const START = /^(?:\$ )?(?:[A-Za-z_]\w*=[^\s;&]*[\s;&]+)*["'(]*[\w./~:$@-]+["')]*(?=[\s;|&(]|$)/;

/**
 * Whether a text that came without a tool around it is a command and no sentence about one. What stands in quotes or
 * in a heredoc does not count: commit messages are prose in every command.
 */
const looksLikeCommand = (text: string): boolean => {
  if (!START.test(text.trim())) return false;
  const bare = text
    .replace(/<<-?\s*["']?(\w+)["']?[\s\S]*?\n\s*\1/g, " ")
    .replace(/"(?:\\.|[^"\\])*"|'[^']*'/g, " ");
  const words = bare.trim().split(/\s+/);
  return (
    words.filter((word) => PROSE.test(word.replace(/[.,:;!?]+$/, ""))).length < 2 &&
    !/^[A-Z][a-z]+(?!-)\b/.test(words[0] ?? "")
  );
};

const WILL_RUN =
  /\b(?:run(?:ning)?|execut(?:e|ing)|issue|going to|will|then|first|next|now|about to)\b|'ll\b/i;
const WILL_NOT =
  /n't\b|\b(?:never|not|no|avoid|instead of|rather than|refuse[sd]?|block(?:s|ed)?|without|why|explain|document|mention|describe|forbid\w*|prevent\w*|what)\b/i;

/**
 * The commands in a text that came without a tool around it: the text itself, or what stands in backticks and is said
 * to be run.
 */
export const listCommands = (text: string): string[] => {
  if (looksLikeCommand(text)) return [text.replace(/^\s*\$ /, "")];
  return text
    .split(/(?<=[.!?])\s+|\n{2,}/)
    .filter((sentence) => {
      const said = sentence.replace(/`[^`]*`/g, " ");
      return WILL_RUN.test(said) && !WILL_NOT.test(said);
    })
    .flatMap((sentence) => [...sentence.matchAll(/```(?:\w*\n)?([\s\S]*?)```|`([^`]+)`/g)])
    .map(([, fenced, quoted]) => fenced ?? quoted ?? "")
    .filter(looksLikeCommand);
};
