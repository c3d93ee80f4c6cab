const listOf = (text: string): string[] =>
  text
    .split("\n")
    .filter((line) => !line.trim().startsWith("#"))
    .flatMap((line) => line.split(","))
    .map((place) => place.trim())
    .filter((place) => place !== "");

/** Below the home: what opens other machines, accounts and programs of the user, and what they said and saw. */
export const HIDDEN_IN_HOME: readonly string[] = listOf(`
  # keys
  .ssh, .gnupg, .password-store, .pki, .netrc, _netrc, .authinfo, .authinfo.gpg, .vault-token, .age
  .config/sops, .config/age, .config/op, .config/1Password, .config/Bitwarden CLI, .config/Bitwarden
  .config/keepassxc, .config/rclone, .local/share/keyrings, .local/share/kwalletd
  .kde/share/apps/kwallet, .config/kwalletrc, Library/Keychains, .wallet, .bitcoin, .ethereum
  .electrum
  # clouds and clusters
  .aws, .azure, .config/gcloud, .boto, .oci, .aliyun, .bluemix, .config/doctl, .config/hcloud
  .config/scw, .config/linode-cli, .config/fly, .fly, .heroku, .config/heroku, .vercel, .config/vercel
  .local/share/com.vercel.cli, .netlify, .config/netlify, .config/configstore, .wrangler
  .config/.wrangler, .cloudflared, .terraform.d, .terraformrc, .pulumi, .kube, .config/helm, .minikube
  .config/k9s, .ansible, .chef, .saml2aws, .s3cfg, .databrickscfg, .snowflake, .snowsql, .config/ngrok
  .ngrok2, .config/stripe, .supabase, .railway, .config/tailscale
  # containers and virtual machines
  .docker, .config/containers, .local/share/containers, .podman, .lima, .colima, .orbstack, .vagrant.d
  # forges, registries, repositories
  .config/gh, .config/hub, .config/glab-cli, .config/tea, .config/git/credentials, .git-credentials
  .git-credential-cache, .cache/git/credential, .gitcookies, .subversion/auth, .config/jgit
  .config/GitHub CLI, .config/github-copilot, .config/graphite, .jira.d, .config/.jira, .npmrc
  .yarnrc, .yarnrc.yml, .config/pnpm, .config/yarn, .pypirc, .config/pip, .pip, .condarc, .config/uv
  .config/pypoetry, .cargo/credentials, .cargo/credentials.toml, .gem/credentials, .bundle/config
  .composer/auth.json, .config/composer/auth.json, .m2/settings.xml, .m2/settings-security.xml
  .gradle/gradle.properties, .sbt/credentials, .ivy2/.credentials, .nuget/NuGet/NuGet.Config
  .config/NuGet, .hex/hex.config, .huggingface, .cache/huggingface/token, .kaggle, .config/wandb
  # databases
  .pgpass, .pg_service.conf, .my.cnf, .mylogin.cnf, .mongodb, .mongorc.js, .dbshell, .rediscli_auth
  .redisclirc, .config/sqlitebrowser, .dbeaver, .local/share/DBeaverData
  # browsers, mail, chat, documents of the desktop
  .mozilla, .librewolf, .waterfox, .config/google-chrome, .config/google-chrome-beta, .config/chromium
  .config/BraveSoftware, .config/microsoft-edge, .config/vivaldi, .config/opera, .cache/google-chrome
  .cache/chromium, .cache/mozilla, .cache/BraveSoftware, snap, .var/app, Library/Application Support
  Library/Cookies, Library/Safari, Library/Messages, Library/Mail, .thunderbird, .config/evolution
  .local/share/evolution, .mutt, .muttrc, .msmtprc, .fetchmailrc, .offlineimaprc, .mbsyncrc
  .config/Slack, .config/discord, .config/Signal, .local/share/TelegramDesktop, .config/Element
  .weechat, .config/irssi, .config/Code/User/globalStorage, .config/Cursor, .config/JetBrains
  .local/share/JetBrains, .config/zed, .config/remmina, .local/share/remmina, .config/filezilla
  .config/libreoffice, .config/dconf, .config/autostart, .config/systemd, .config/pulse
  .config/OpenRGB, .config/obs-studio, .local/share/recently-used.xbel, .local/share/Trash
  # what was typed
  .bash_history, .zsh_history, .zhistory, .histfile, .local/share/fish, .python_history
  .node_repl_history, .psql_history, .mysql_history, .sqlite_history, .rediscli_history, .lesshst
  .viminfo, .local/state/nvim, .wget-hsts, .local/share/atuin, .irb_history
  # the desktop's own sockets and secrets
  .Xauthority, .ICEauthority, .xsession-errors, .dbus, .pulse-cookie, .config/ibus, .esd_auth
  .cache/keyring
  # ours
  .memory-api-key, .nightshift, .workers
  # other agents: their log-ins and what was said to them
  .claude, .claude.json, .config/claude, .codex, .gemini, .pi, .config/opencode, .local/share/opencode
  .local/state/opencode, .cache/opencode, .config/shelley, .cursor, .config/amp, .local/share/amp
  .aider.conf.yml, .aider, .continue, .config/goose, .local/share/goose, .qwen, .config/crush
  .local/share/crush, .copilot, .factory, .roo, .cline, .config/cline, .openai, .anthropic, .llm
  .config/io.datasette.llm, .ollama/id_ed25519
`);

/** Of the machine: sockets of services that would do anything for us, and keys that root could read. */
export const HIDDEN_IN_ROOT: readonly string[] = listOf(`
  /run, /var/run, /etc/shadow, /etc/shadow-, /etc/gshadow, /etc/gshadow-, /etc/sudoers, /etc/sudoers.d
  /etc/security/opasswd, /etc/ssl/private, /etc/pki/tls/private, /etc/letsencrypt, /etc/krb5.keytab
  /etc/docker, /etc/kubernetes, /etc/rancher, /etc/wireguard, /etc/openvpn
  /etc/NetworkManager/system-connections, /etc/netplan, /etc/exports, /etc/ppp, /etc/cloud
  /etc/nightshift, /etc/ssh/ssh_host_rsa_key, /etc/ssh/ssh_host_ecdsa_key
  /etc/ssh/ssh_host_ed25519_key, /etc/ssh/ssh_host_dsa_key, /var/lib/docker, /var/lib/containerd
  /var/lib/kubelet, /var/lib/rancher, /var/lib/postgresql, /var/lib/mysql, /var/lib/redis
  /var/lib/mongodb, /var/lib/cloud, /var/lib/NetworkManager, /var/lib/sss, /var/lib/lxd
  /var/lib/systemd/coredump, /var/lib/private, /var/lib/tailscale, /var/lib/vault
  /var/lib/gitlab-runner, /var/log, /var/mail, /var/spool, /var/backups, /var/crash
  /var/cache/private, /boot, /lost+found, /mnt, /media, /srv/secrets
`);
