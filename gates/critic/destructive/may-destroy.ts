/** Programs that can destroy something with many of their words. */
const PROGRAMS =
  /\b(?:rm|rd|rmdir|del|erase|srm|shred|unlink|truncate|rimraf|rsync|mv|dd|mkfs|mke2fs|mkswap|wipefs|blkdiscard|badblocks|\w*fdisk|parted|s?gdisk|zpool|zfs|[lvp]v?g?remove|lvreduce|cryptsetup|mdadm|diskutil|diskpart|nvme|hdparm|btrfs|flashrom|chmod|chown|chgrp|setfacl|chattr|shutdown|reboot|poweroff|halt|telinit|systemctl|crontab|userdel|deluser|groupdel|ip6?tables|nft|ufw|kill|pkill|killall5?|skill|xkill|taskkill|wmic|tmux|curl|wget|iwr|irm|iex|nc|ncat|xh|base64|openssl|xxd|eval|psql|mysql\w*|mariadb|sqlite\S*|sqlcmd|duckdb|clickhouse|cqlsh|usql|mongo\w*|redis-cli|valkey-cli|dropdb|dropuser|pg_restore|etcdctl|influx|bq|rails|rake|prisma|sequelize|typeorm|knex|drizzle-kit|mikro-orm|manage\.py|django-admin|alembic|artisan|supabase|flyway|liquibase|dotnet|goose|dbmate|diesel|sqlx|terraform|tofu|terragrunt|kubectl|oc|helm|helmfile|podman|nerdctl|aws\w*|gcloud|gsutil|az|doctl|heroku|fly\w*|railway|vercel|netlify|wrangler|firebase|pulumi|cdk\w*|sls|serverless|sam|eksctl|kops|kind|k3d|minikube|nomad|consul|vault|rclone|s3cmd|mc|jsr|lerna|changeset|flit|hatch|pdm|twine|mvnw?|gradlew?|crane|skopeo|nuget|vsce|ovsx|goreleaser|semantic-release|release-it|conan|husky|pre-commit|lefthook|wp|argocd|openstack|hcloud|linode-cli|ibmcloud|oci|scw|velero|istioctl|flux|pscale|planetscale|turso|neon\w*|atlas|confluent|ccloud|koyeb|kamal|dokku|cf|tkn|okta|auth0|stripe|amplify|copilot|eb|b2|s5cmd|civo|upctl|awk|gawk|cmd|powershell|trino|snowsql|surreal|cockroach|vsql|hasura|convex|bfg)\b|remove-item|stop-process|invoke-|\(\)\s*\{/i;

/** What is everyday work but for some words: the words without which no rule says anything about it. */
const WITH_WORDS: readonly RegExp[] = [
  /\bgit\b[\s\S]*\b(?:push|reset|clean|checkout|switch|restore|stash|worktree|rm|submodule|filter-\w+|branch|reflog|gc|prune|update-ref|read-tree|checkout-index|rebase|lfs|remote|config|hookspath|fsmonitor|sshcommand)\b/i,
  /\b(?:npm|pnpm|yarn|bun|deno|cargo|poetry|uv|gem|pod|dart|flutter|pub|sbt|conan|flit|hatch|pdm|rye|lerna|changeset|jsr|vsce|ovsx|maturin|snapcraft|mvnw?|gradlew?|python\S*|dotnet|mix|stack|cabal|luarocks|cpan|clasp|wasmer|forge|julia|composer|anaconda|web-ext|chrome-webstore-upload)\b[\s\S]*(?:publish|deprecate|dist-tag|owner|access|yank|upload|deploy|push|release|delete|sign|register|unpublish|drop|reset)/i,
  /\b(?:np|goreleaser|semantic-release|release-it|fastlane|crane|skopeo|oras|ko|buildah)\b/i,
  /\b(?:python\S*|node|bun|deno|ruby|perl|php|flask|console|rails)\b[\s\S]*(?:system|popen|subprocess|exec|spawn|rmtree|rm_r|rmsync|removesync|emptydir|rimraf|fs\.rm|promises\.rm|rmdirsync|execute|query|raw|unsafe|run|drop|delete|destroy|flush|downgrade|doctrine|entry_secure)/i,
  /\b(?:docker\S*|podman\S*|nerdctl)\b[\s\S]*\b(?:rm|rmi|prune|push|down|kill|stop|leave|remove)\b/i,
  /\b(?:gh|glab)\b[\s\S]*(?:delete|archive|remove|release|api)/i,
  /\bfind\b[\s\S]*-delete\b/,
  /\b(?:cp|ln|install|tee|touch|pv)\b[\s\S]*(?:\.git|\/dev\/)/,
  /\b(?:migrate|init|format|mix|asr|java)\b/,
  /\b(?:https?|fetch)\b[\s\S]*(?:\|\s*(?:sudo\s+)?\w*sh\b|delete)/i,
  />\s*["']?(?:\/dev\/|\/etc\/|\/boot\/|~|\$HOME|[^\s"']*\.git)/,
];

/** Whether a command is worth reading with the shell parser at all; loading it takes as long as all the rest. */
export const mayDestroy = (text: string): boolean =>
  PROGRAMS.test(text) || WITH_WORDS.some((words) => words.test(text));

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
