import { escapeHtml as escape } from "../../../core/escape-html.ts";
import type { Report, WorkerReport } from "../../../worker/report/report.ts";
import { describeLedger } from "../../../sandbox/network/describe-ledger.ts";
import { reasonLine } from "../../../verdict/describe-verdict.ts";
import { figuresText, noticesOf, totalsText } from "./report-text.ts";

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d0d7de, #30363d); --soft: light-dark(#57606a, #8b949e); }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem; }
article { border: 1px solid var(--line); border-radius: 8px; padding: 0 1rem; margin: 1rem 0; }
article.needs-you { border-left: 4px solid #bf8700; }
h2 { margin-bottom: 0; } p, ul { margin: 0.5rem 0; } .soft { color: var(--soft); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border-left: 2px solid var(--line); padding-left: 0.75rem; }
code { overflow-wrap: anywhere; }`;

const list = (items: readonly string[]): string =>
  items.length === 0 ? "" : `<ul>${items.map((item) => `<li>${escape(item)}</li>`).join("")}</ul>`;

const article = (worker: WorkerReport): string =>
  [
    `<article${worker.needsYou ? ' class="needs-you"' : ""}>`,
    `<h2>${escape(worker.name)}: ${worker.outcome}</h2>`,
    worker.why === "" ? "" : `<p>${escape(worker.why)}</p>`,
    `<p class="soft">${escape(figuresText(worker))}<br>${escape(noticesOf(worker).join(" · "))}</p>`,
    list((worker.verdict?.reasons ?? []).map((reason) => `${reason.weight}: ${reasonLine(reason)}`)),
    list([...worker.commits, ...worker.rescued.map((ref) => `rescued work: ${ref}`), ...worker.remarks]),
    list(describeLedger(worker.calls)),
    worker.note === undefined ? "" : `<pre>${escape(worker.note)}</pre>`,
    `<p>Next: <code>${escape(worker.next)}</code></p>`,
    "</article>",
  ].join("\n");

/** The report as one page that needs nothing else: no script, no font, no picture from elsewhere. */
export const reportHtml = (report: Report): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Workers: ${escape(totalsText(report))}</title>
<style>${STYLE}
</style>
<main>
<h1>Workers</h1>
<p>${escape(totalsText(report))}</p>
<p class="soft">${report.since === undefined ? "" : `From ${report.since} to `}${report.at}</p>
${report.workers.map(article).join("\n")}
</main>
</html>`;
