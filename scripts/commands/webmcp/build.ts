import { join, resolve } from "node:path";
import { withoutUndefined } from "../../../core/without-undefined.ts";
import { writeFileDurably } from "../../../core/durable-file.ts";
import { AppError } from "../../../core/errors.ts";
import { generateStaticWebMcp } from "../../../webmcp/index.ts";
import { defineCommand } from "../../command/define-command.ts";
import { compiling, DOCUMENT_ARGUMENT, loadDocument } from "./load-document.ts";

export const webmcpBuild = defineCommand({
  description:
    "Only public GET operations can be in it. Add the bootstrap to a page with a module script; the same document gives the same bytes.",
  args: [DOCUMENT_ARGUMENT],
  options: {
    origin: {
      type: "string",
      description: "Where the API is: an https origin (required)",
      placeholder: "https-origin",
    },
    out: {
      type: "string",
      description: "Folder to write into (default: here)",
      placeholder: "folder",
      complete: "folder",
    },
    "max-response-bytes": {
      type: "integer",
      minimum: 1,
      description: "Size limit of an answer, in bytes (default 262144)",
      placeholder: "bytes",
    },
    "result-selector": {
      type: "string",
      description: "Element that shows the last result (default #webmcp-result)",
      placeholder: "selector",
    },
  },
  examples: ["nightshift webmcp build openapi.yaml --origin https://api.example.com --out public"],
  run: async ({ args, options }, { cwd, reporter, signal }) => {
    const { origin } = options;
    if (origin === undefined)
      throw new AppError(
        "usage",
        "--origin is missing; say where the API is: --origin https://api.example.com",
      );
    const document = await loadDocument(args.openapi, cwd, signal);
    const maxResponseBytes = options["max-response-bytes"];
    const resultSelector = options["result-selector"];
    const { manifest, bootstrap } = await compiling(() =>
      generateStaticWebMcp(document, {
        apiOrigin: origin,
        ...withoutUndefined({ maxResponseBytes, resultSelector }),
      }),
    );
    const folder = resolve(cwd, options.out ?? ".");
    const files = {
      manifest: join(folder, "webmcp-manifest.json"),
      bootstrap: join(folder, "webmcp-bootstrap.js"),
    };
    writeFileDurably(files.manifest, manifest);
    writeFileDurably(files.bootstrap, bootstrap);
    const { tools } = JSON.parse(manifest) as { tools: { name: string }[] };
    reporter.answer({ ...files, tools: tools.map(({ name }) => name) }, [
      `wrote ${files.manifest}`,
      `wrote ${files.bootstrap}`,
      `${tools.length} tools: ${tools.map(({ name }) => name).join(", ")}`,
      `add to your page: <script type="module" src="/webmcp-bootstrap.js"></script>`,
    ]);
  },
});
