// Made from the schema that checks it (`npx nightshift run docs` writes it, a test compares it): plain types,
// so that a project needs none of the packages behind the schema to check its own.

/** What a config file says, as `defineConfig` types it. */
export type AgentConfig = {
  /** Coding agents: how each is started */
  agents?: {
    [name: string]: {
      /** Program to start instead of the one on PATH */
      command?: string;
      /** Arguments put before the driver's own */
      args?: string[];
      /** Model, in the agent's own spelling */
      model?: string;
      /** Environment added for this agent */
      env?: {
        [name: string]: string;
      };
      /** Tokens; overrides the window the agent reports */
      contextWindow?: number;
      /** USD for a million tokens, by model; before the list prices */
      prices?: {
        [name: string]: {
          input: number;
          cacheRead: number;
          cacheWrite: number;
          output: number;
        };
      };
      budget?: NonNullable<AgentConfig["budget"]>;
      /** Which driver runs it, when the id is not a driver's own */
      driver?: string;
      /** How a `command` agent takes its prompt (default stdin) */
      prompt?: "stdin" | "argument";
      /** What a `command` agent prints: plain text, or the JSON-lines protocol of docs/agents.md. How Codex is run: `app-server`, or `exec` (default `app-server`, where that version has it) */
      protocol?: "text" | "jsonl" | "app-server" | "exec";
      /** Script file of the `scripted` agent */
      script?: string;
      /** File in which the `scripted` agent counts its sessions */
      state?: string;
      /** In the agent's own words: permission mode (claude), sandbox mode (codex), approval mode (gemini), mode (agy); without it nothing is asked and nothing forbidden */
      permissionMode?: string;
      /** Address of an agent that is a server (shelley) */
      url?: string;
    };
  };
  /** Workers by name */
  workers?: {
    [name: string]: {
      /** What the worker is to do */
      task?: string;
      /** Working directory, from the config's folder */
      dir?: string;
      /** Agent id, or several that stand in for each other, the preferred first: `claude`, `codex:<model>`; the first one found on PATH by default */
      agent?: string | string[];
      /** Model, in the agent's own spelling */
      model?: string;
      /** Maximum number of sessions */
      max?: number;
      limits?: {
        /** Share of the context window at which a session hands over */
        contextPercent?: number;
        /** Time limit of one session */
        sessionMinutes?: number;
        /** How long an agent may be silent while it runs no tool */
        idleMinutes?: number;
        /** How long the agent has for its closing note */
        handoffMinutes?: number;
        /** Time limit of the whole worker */
        totalHours?: number;
        /** Cost limit of all sessions together, in USD */
        costUsd?: number;
        /** Token limit of all sessions together */
        tokens?: number;
        /** Sessions in a row without a commit or a change before the worker counts as stalled */
        stalledSessions?: number;
        /** Times the same error may come in a row before the worker fails */
        sameErrors?: number;
        /** Pause after a failed session; doubles with each further failure, up to an hour */
        backoffSeconds?: number;
        /** Time limit of gates/health.sh */
        gateMinutes?: number;
        /** How much a rescue copies of files that are in no commit yet, in MiB */
        rescueMiB?: number;
        /** Size limit of each such file, in MiB */
        rescueFileMiB?: number;
      };
      done?: {
        /** The gates must be healthy */
        gates?: boolean;
        /** Nothing may be left uncommitted */
        cleanTree?: boolean;
      };
      /** `wait` for the reset, `stop`, or go on with `agent:<id>` or `model:<name>` */
      onRateLimit?: string;
      /** Globs of sealed files and tests that its sessions may change */
      mayChange?: string[];
      /** Work in a git worktree of its own */
      worktree?: boolean;
      /** Allow another worker elsewhere in the same git worktree */
      shared?: boolean;
      sandbox?: NonNullable<AgentConfig["sandbox"]>;
    };
  };
  budget?: {
    /** Limit from noon to noon by this machine's clock, in USD */
    perNightUsd?: number;
    /** Limit from midnight to midnight by this machine's clock, in USD */
    perDayUsd?: number;
  };
  /** Checks by id */
  gates?: {
    [name: string]: {
      /** Shell command; exit 0 passes */
      command?: string;
      /** A built-in check */
      builtin?: "types" | "uncommitted" | "any" | "todo" | "console";
      /** `block` makes the verdict a no, `warn` is only reported */
      severity?: "block" | "warn";
      /** Time limit */
      timeoutSeconds?: number;
      /** Globs of the files it depends on; enables its cache */
      inputs?: string[];
      /** Working directory, from the config's folder */
      cwd?: string;
      /** Command that repairs what it finds, run in `cwd` */
      fix?: string;
      /** `false` switches it off */
      enabled?: boolean;
    };
  };
  sandbox?: {
    /** `auto`: on where the machine can do it; `bubblewrap`: no start without it; `none`: with all your rights */
    mode?: "auto" | "bubblewrap" | "none";
    network?: {
      /** Hosts that are allowed, every public host, or none */
      mode?: "allow-list" | "open" | "none";
      /** Hosts beside those of the agent's model, of the lock files' registries and of the memory: `host`, `*.host`, `host:port` */
      allow?: string[];
    };
    /** Hidden files and folders that it may read all the same */
    allowRead?: string[];
    /** Files and folders outside of the work tree that it may write */
    allowWrite?: string[];
    /** More files and folders that it must not see */
    hide?: string[];
    /** Folders of package caches that it may write, such as ~/.npm */
    caches?: string[];
    /** Variables of your environment that reach it beside the usual ones; `NAME*` for all that begin so */
    env?: string[];
    /** Variables with secrets that reach it, and are taken out of everything that is kept */
    secrets?: string[];
    limits?: {
      /** Size limit of /tmp, of the private home and of shared memory, each */
      tmpMiB?: number;
      /** Size limit of a file that it writes */
      fileMiB?: number;
      /** Limit of processes and threads at a time */
      processes?: number;
      /** Memory limit of everything that runs in it (without a cgroup: of each process); none by default */
      memoryMiB?: number;
      /** Limit of processors that it keeps busy, where there is a cgroup; none by default */
      cpus?: number;
    };
  };
  verify?: {
    /** Where the gates of a verdict run: a clean checkout outside of the project, or the project's own folder */
    where?: "clean" | "tree";
    /** Command that makes the checkout ready for the gates (default: by its lock files) */
    prepare?: string;
    /** Time limit of one verdict */
    minutes?: number;
    /** Globs of files that decide what a gate finds, besides the built-in ones */
    sealed?: string[];
    /** New tests have to fail on the code of the base */
    newTestsMustFail?: boolean;
  };
  review?: {
    /** Agent id; best of another vendor than the worker's */
    agent: string;
    /** Model, in that agent's spelling */
    model?: string;
    /** Times that it may refuse the work before a person has to decide */
    rounds?: number;
    /** Cost limit of one review, in USD */
    costUsd?: number;
  };
  critic?: {
    /** Least severity that means STOP (default HIGH) */
    stopAt?: "HIGH" | "MEDIUM" | "LOW";
    /** Judge commands by what they would destroy (rules D1 to D11; default true); every run says when it is off */
    destructive?: boolean;
    patterns?: {
      /** Rule id, shown and used by allowances */
      id: string;
      severity: "HIGH" | "MEDIUM" | "LOW";
      /** Regular expression, matched clause by clause, ignoring case */
      pattern: string;
      /** What is wrong with it */
      message: string;
      /** What to do instead; must itself pass */
      suggestion: string;
      /** Texts it must flag */
      match: string[];
      /** Texts it must not flag */
      noMatch: string[];
    }[];
    /** Built-in rule ids to switch off; every run says so */
    disable?: string[];
    allow?: {
      /** Rule id that is let through */
      id: string;
      /** ISO date or time at which the allowance ends */
      until: string;
      reason: string;
    }[];
    /** Log of every decision (JSON lines): a .jsonl or .log file in .nightshift/, the git folder or ~/.nightshift */
    log?: string;
  };
  steerer?: {
    /** Directories to watch (default: the config's folder) */
    dirs?: string[];
    /** Time between two rounds */
    intervalSeconds?: number;
    policies?: {
      /** Restart crashed supervisors */
      restart?: boolean;
      /** Restarts of one worker in an hour before it gives up */
      restartsPerHour?: number;
      /** End orphaned processes */
      reap?: boolean;
      /** Save uncommitted work of dead sessions */
      rescue?: boolean;
      /** Store failures and project state in memory */
      learn?: boolean;
    };
  };
  memory?: {
    /** Base address of the memory service (default: this machine's server, once it made a key) */
    url?: string;
    /** Let `/inject` answer without a key on any bind */
    publicRead?: boolean;
    /** Words that mean the same, besides the built-in ones */
    aliases?: {
      [name: string]: string[];
    };
    embeddings?: {
      /** OpenAI-compatible endpoint (…/v1/embeddings) */
      url: string;
      model: string;
    };
  };
  recall?: {
    /** Quote past conversations about the task in the prompt */
    enabled?: boolean;
    /** Conversations held anywhere, or only in the worker's directory */
    scope?: "everywhere" | "directory";
    /** How much is quoted at most */
    maxTokens?: number;
    /** After this a session begins without */
    timeoutSeconds?: number;
  };
  server?: {
    /** Address that commands use */
    url?: string;
    host?: string;
    port?: number;
    /** Domain under which sites are served (default localhost) */
    sitesDomain?: string;
  };
  notify?: {
    /** What you are told of (default: everything that your own file asks for) */
    on?: ("complete" | "unverified" | "failed" | "stalled" | "needs-approval" | "budget" | "silent" | "rate-limit" | "all-done")[];
    /** Names of your channels that it goes to (default: all) */
    channels?: string[];
  };
  /** Glob of the task scripts */
  tasks?: string;
};
