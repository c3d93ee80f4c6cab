import { useEffect, useRef, useState } from "preact/hooks";
import { type Limits, type Me, may } from "./api.ts";
import { ChangeList } from "./change-list.tsx";
import { ChangedOnDisk, totalOf } from "./check-files.ts";
import { DropZone } from "./drop-zone.tsx";
import { Field } from "./fields.tsx";
import { bytesText, countText, restText } from "./format.ts";
import { Button, Failure, Meter } from "./parts.tsx";
import {
  cancel,
  choose,
  followLive,
  getPublication,
  giveUp,
  onPublications,
  type Publication,
  putLive,
  restart,
  send,
  setMessage,
  type State,
  type Work,
} from "./publications.ts";

type Of<Step extends State["step"]> = Extract<State, { step: Step }>;
type Context = { site: string; me: Me; message: string };

export const usePublication = (site: string): Publication => {
  const [, setCount] = useState(0);
  useEffect(() => onPublications(() => setCount((count) => count + 1)), []);
  return getPublication(site);
};

const Faults = ({ faults }: { faults: string[] }) =>
  faults.length === 0 ? null : (
    <div class="notice bad" role="alert">
      <p>This cannot be published:</p>
      <ul>
        {faults.slice(0, 10).map((fault) => (
          <li key={fault}>{fault}</li>
        ))}
        {faults.length > 10 && <li>and {faults.length - 10} more</li>}
      </ul>
    </div>
  );

/** Files whose name begins with a dot: said by name, because sometimes one was meant. */
const LeftOut = ({ names }: { names: string[] }) =>
  names.length === 0 ? null : (
    <details>
      <summary>{countText(names.length, "hidden file")} left out</summary>
      <ul class="paths">
        {names.slice(0, 100).map((name) => (
          <li key={name}>{name}</li>
        ))}
        {names.length > 100 && <li>and {names.length - 100} more</li>}
      </ul>
    </details>
  );

const Note = ({ site, message }: Context) => (
  <Field
    label="Note for the history"
    hint="optional"
    value={message}
    maxLength={500}
    onInput={(event) => setMessage(site, event.currentTarget.value)}
  />
);

const sizeOf = ({ files, manifest, plan }: Work): string =>
  `${countText(manifest.length, "file")}, ${bytesText(totalOf(files))}. ${
    plan.bytesToSend === 0 ? "Nothing to upload." : `${bytesText(plan.bytesToSend)} to upload.`
  }`;

const PlanStep = ({ work, ...context }: Context & { work: Work }) => (
  <>
    <ChangeList changes={work.plan.changes} />
    <LeftOut names={work.leftOut} />
    {work.plan.warnings.map((warning) => (
      <p class="notice warn" key={warning}>
        {warning}
      </p>
    ))}
    <p class="quiet">{sizeOf(work)}</p>
    <Note {...context} />
    <div class="row">
      {may(context.me, "activate") && (
        <Button text="Publish now" class="primary" onClick={() => send(context.site, work, true)} />
      )}
      <Button text="Upload as a preview" onClick={() => send(context.site, work, false)} />
      <Button text="Choose again" class="plain" onClick={() => restart(context.site)} />
    </div>
  </>
);

const SendingStep = ({ state, site }: { state: Of<"sending">; site: string }) => {
  const { bytes, totalBytes, files, totalFiles } = state.progress;
  const rest = restText(bytes, totalBytes, performance.now() - state.startedAt);
  return (
    <>
      <Meter
        label="Uploading"
        done={bytes}
        total={totalBytes}
        detail={`${files} of ${countText(totalFiles, "file")}, ${bytesText(bytes)} of ${bytesText(totalBytes)}${rest}`}
      />
      <p class="quiet">You can look at other pages here meanwhile. Keep this tab open.</p>
      <div class="row">
        <Button text="Cancel" onClick={() => cancel(site)} />
      </div>
    </>
  );
};

type StoppedProps = { state: Of<"stopped">; site: string; error: unknown };

const StoppedStep = ({ state, site, error }: StoppedProps) =>
  error instanceof ChangedOnDisk ? (
    <div class="row">
      <Button text="Choose again" class="primary" onClick={() => giveUp(site, state.work)} />
    </div>
  ) : (
    <>
      <p>Your folder is still chosen. Trying again sends only what is missing.</p>
      <div class="row">
        <Button text="Try again" class="primary" onClick={() => send(site, state.work, state.goLive)} />
        <Button text="Choose again" class="plain" onClick={() => giveUp(site, state.work)} />
      </div>
    </>
  );

const UploadedStep = ({ state, site, me }: Context & { state: Of<"uploaded"> }) => (
  <>
    <p>
      Uploaded, not live yet.{" "}
      <a href={state.created.previewUrl} target="_blank" rel="noopener">
        Open preview
      </a>
    </p>
    <ChangeList changes={state.changes} />
    <div class="row">
      {may(me, "activate") ? (
        <Button text="Go live" class="primary" onClick={() => putLive(site, state)} />
      ) : (
        <p class="quiet">
          Your token can upload but not go live. Someone who can will find it in the history below.
        </p>
      )}
      <Button text="Publish something else" class="plain" onClick={() => restart(site)} />
    </div>
  </>
);

const LiveStep = ({ state, site }: { state: Of<"live">; site: string }) => (
  <>
    <p class="notice good" role="status">
      <a href={state.created.siteUrl} target="_blank" rel="noopener">
        {state.created.siteUrl}
      </a>{" "}
      now shows what you published.
    </p>
    <div class="row">
      <Button text="Publish again" onClick={() => restart(site)} />
    </div>
  </>
);

const TITLES: Partial<Record<State["step"], string>> = {
  stopped: "Not published",
  uploaded: "Preview ready",
  live: "Live",
};

const Step = ({
  state,
  limits,
  error,
  ...context
}: Context & { state: State; limits: Limits; error: unknown }) => {
  const { site } = context;
  switch (state.step) {
    case "choose":
      return <DropZone limits={limits} onFiles={(chosen) => void choose(site, chosen, limits)} />;
    case "reading":
      return (
        <Meter
          label="Reading the files"
          done={state.done}
          total={state.total}
          detail={`${bytesText(state.done)} of ${bytesText(state.total)}`}
        />
      );
    case "plan":
      return <PlanStep work={state.work} {...context} />;
    case "sending":
      return <SendingStep state={state} site={site} />;
    case "going-live":
      return <p role="status">Going live…</p>;
    case "stopped":
      return <StoppedStep state={state} site={site} error={error} />;
    case "uploaded":
      return <UploadedStep state={state} {...context} />;
    case "live":
      return <LiveStep state={state} site={site} />;
  }
};

type Props = {
  site: string;
  live: string | undefined;
  limits: Limits;
  me: Me;
  onChanged: () => Promise<void>;
};

/** From a folder to a live site: choose, see what changes, upload, look at the preview, go live. */
export const PublishPanel = ({ site, live, limits, me, onChanged }: Props) => {
  const { state, message, faults, error } = usePublication(site);
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(state.step);
  const { step } = state;
  useEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    // The step replaces what had the focus: hand it on instead of losing it.
    if (document.activeElement === document.body) heading.current?.focus();
    if (step !== "reading" && step !== "sending" && step !== "going-live") void onChanged();
  }, [step]);
  useEffect(() => void followLive(site, live), [live]);
  return (
    <section class="card stack" aria-labelledby="publish-title">
      <h2 id="publish-title" ref={heading} tabIndex={-1}>
        {TITLES[step] ?? "Publish"}
      </h2>
      <Failure error={error} />
      <Faults faults={faults} />
      <Step state={state} error={error} limits={limits} site={site} me={me} message={message} />
    </section>
  );
};
