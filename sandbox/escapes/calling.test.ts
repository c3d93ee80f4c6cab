import { createSocket } from "node:dgram";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe } from "vitest";
import { CANARY, describeEscapes, type Prepare, type Worked } from "../fixtures/escape-lab.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const call = (where: string) =>
  `node -e 'const s=require("net").connect(${where});s.on("connect",()=>s.end("canary"));s.on("error",()=>{})'`;
const wasHeard: Worked = async ({ heard }) => {
  await new Promise((resolve) => setImmediate(resolve));
  return heard.length > 0;
};
const saysCanary: Worked = ({ heard }) => heard.join("").includes("canary");
const onSocket =
  (path: string): Prepare =>
  async (lab) => {
    const full = join(lab.root, path);
    mkdirSync(join(full, ".."), { recursive: true });
    await lab.listen({ path: full });
  };
const toSocket = (path: string) => call(`{path:"{root}/${path}"}`);

describe("calling services of the machine over their sockets", () => {
  describeEscapes([
    {
      title: "containers",
      prepare: onSocket("home/.docker/run/docker.sock"),
      script: toSocket("home/.docker/run/docker.sock"),
      worked: wasHeard,
    },
    {
      title: "the agent of keys",
      prepare: onSocket("ssh-agent/agent.1"),
      script: toSocket("ssh-agent/agent.1"),
      worked: wasHeard,
    },
    {
      title: "the agent of signatures",
      prepare: onSocket("home/.gnupg/S.gpg-agent"),
      script: toSocket("home/.gnupg/S.gpg-agent"),
      worked: wasHeard,
    },
    {
      title: "the desktop's bus",
      prepare: async (lab) => {
        lab.env["XDG_RUNTIME_DIR"] = join(lab.root, "run");
        await onSocket("run/bus")?.(lab);
      },
      script: toSocket("run/bus"),
      worked: wasHeard,
    },
    {
      title: "the screen, by a name without a file",
      prepare: async (lab) => {
        await lab.listen({ path: `\0${lab.root}/X0` });
      },
      script: call('{path:"\\0{root}/X0"}'),
      worked: wasHeard,
    },
    {
      title: "a database in a folder that is only read",
      prepare: onSocket("other/db.sock"),
      script: toSocket("other/db.sock"),
      worked: wasHeard,
    },
    {
      title: "an editor in the home",
      prepare: onSocket("home/.cache/editor/ipc.sock"),
      script: toSocket("home/.cache/editor/ipc.sock"),
      worked: wasHeard,
    },
  ]);
});

const openNameServer = async (onQuestion: (message: string) => void) => {
  const end = "all heard";
  const server = createSocket("udp4", (message) => {
    const text = message.toString("latin1");
    if (text !== end) onQuestion(text);
  });
  await new Promise<void>((resolve) => server.bind(0, "127.0.0.1", () => resolve()));
  const { port } = server.address();
  return {
    port,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
    /** What was sent before comes in before what is sent now: on loopback a socket keeps the order. */
    hearAll: () =>
      new Promise<void>((resolve) => {
        server.on("message", (message) => message.toString("latin1") === end && resolve());
        server.send(end, port, "127.0.0.1");
      }),
  };
};

describe("calling somebody over the network", () => {
  let names: Awaited<ReturnType<typeof openNameServer>> | undefined;
  const onPort: Prepare = (lab) => lab.listen({ port: 0 });
  const throughProxy =
    (mode: "allow-list" | "open"): Prepare =>
    async (lab) => {
      const allowed = await lab.listen({ port: 0 });
      lab.settings = { network: { mode, allow: mode === "open" ? [] : [`127.0.0.1:${allowed}`] } };
      lab.env["ALLOWED"] = String(allowed);
      return lab.listen({ port: 0 });
    };
  const proxied = (rest: string) =>
    `node -e 'const p=+(process.env.HTTP_PROXY||"").split(":").pop()||{n};const s=require("net").connect(p,"127.0.0.1");${rest};s.on("error",()=>{})'`;
  describeEscapes([
    {
      title: "a port of the machine's loopback",
      prepare: onPort,
      script: call('{n},"127.0.0.1"'),
      worked: wasHeard,
    },
    { title: "the same by its name", prepare: onPort, script: call('{n},"localhost"'), worked: wasHeard },
    {
      title: "the machine by the address that means everybody",
      prepare: onPort,
      script: call('{n},"0.0.0.0"'),
      worked: wasHeard,
    },
    {
      title: "a name server, with the secret in the name",
      prepare: async (lab) => {
        names = await openNameServer((message) => lab.heard.push(message));
        closing.push(names.close);
        return names.port;
      },
      script: `node -e 'const r=new (require("dns").Resolver)({timeout:200,tries:1});r.setServers(["127.0.0.1:{n}"]);r.resolve4("${CANARY}.example",()=>{})'`,
      worked: async ({ heard }) => {
        await names?.hearAll();
        return heard.length > 0;
      },
    },
    {
      title: "another port than the one that is allowed",
      prepare: throughProxy("allow-list"),
      script: proxied(
        "s.write(`CONNECT 127.0.0.1:{n} HTTP/1.1\\r\\n\\r\\ncanary`);setTimeout(()=>s.destroy(),300)",
      ),
      worked: saysCanary,
    },
    ...[
      ["by IPv6's form of the address", "CONNECT [::ffff:127.0.0.1]:{n} HTTP/1.1"],
      ["by the number that the address is", "CONNECT 2130706433:{n} HTTP/1.1"],
      ["by the machine's own name", "CONNECT localhost:{n} HTTP/1.1"],
      ["behind the name of an allowed one", "CONNECT 127.0.0.1:$ALLOWED@127.0.0.1:{n} HTTP/1.1"],
      ["as a plain request", "POST http://127.0.0.1:{n}/canary HTTP/1.1\\r\\nHost: 127.0.0.1:$ALLOWED"],
    ].map(([way = "", head = ""]) => ({
      title: `another port, ${way}`,
      prepare: throughProxy("allow-list"),
      script: proxied(
        `s.write(\`${head.replace("$ALLOWED", "${process.env.ALLOWED}")}\\r\\n\\r\\ncanary\`);s.on("close",()=>process.exit());s.on("data",()=>{});setTimeout(()=>s.destroy(),300)`,
      ),
      worked: saysCanary,
    })),
    {
      title: "the machine's own ports where every host is allowed",
      prepare: throughProxy("open"),
      script: proxied(
        "s.write(`CONNECT 127.0.0.1:{n} HTTP/1.1\\r\\n\\r\\ncanary`);setTimeout(()=>s.destroy(),300)",
      ),
      worked: saysCanary,
    },
  ]);
});
