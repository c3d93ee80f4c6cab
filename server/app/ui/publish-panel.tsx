import { useId, useRef, useState } from "preact/hooks";
import { type Limits, type Me, may } from "./api.ts";
import { ChangeList } from "./change-list.tsx";
import type { ChosenFile } from "./collect.ts";
import { DropZone } from "./drop-zone.tsx";
import { bytesText, countText } from "./format.ts";
import { Failure, Meter } from "./parts.tsx";
import {
  activate,
  type Created,
  findLimitFaults,
  hashAll,
  type ManifestEntry,
  type Plan,
  planPublish,
  upload,
} from "./publish-job.ts";

type State =
  | { step: "choose" }
  | { step: "hashing"; done: number; total: number }
  | { step: "plan"; files: ChosenFile[]; manifest: ManifestEntry[]; plan: Plan }
  | { step: "uploading"; done: number; total: number }
  | { step: "uploaded"; created: Created; plan: Plan }
  | { step: "live"; created: Created };

type Props = {
  site: string;
  live: string | undefined;
  limits: Limits;
  me: Me;
  onChanged: () => Promise<void>;
};

const totalOf = (files: readonly ChosenFile[]): number => files.reduce((sum, { file }) => sum + file.size, 0);

/** From a folder to a live site: choose, see what changes, upload, look at the preview, go live. */
export const PublishPanel = ({ site, live, limits, me, onChanged }: Props) => {
  const [state, setState] = useState<State>({ step: "choose" });
  const [error, setError] = useState<unknown>();
  const [faults, setFaults] = useState<string[]>([]);
  const [message, setMessage] = useState("");
  const heading = useRef<HTMLHeadingElement>(null);
  const messageId = useId();

  const fail = (failure: unknown) => {
    setError(failure);
    setState({ step: "choose" });
  };
  const restart = () => {
    setError(undefined);
    setFaults([]);
    setMessage("");
    setState({ step: "choose" });
  };
  const choose = async (files: ChosenFile[]) => {
    setError(undefined);
    const found = findLimitFaults(files, limits);
    setFaults(found);
    if (found.length > 0) return;
    const total = totalOf(files);
    setState({ step: "hashing", done: 0, total });
    try {
      const manifest = await hashAll(files, (done) => setState({ step: "hashing", done, total }));
      setState({ step: "plan", files, manifest, plan: await planPublish(site, manifest) });
      // The step replaces what had the focus: hand it on instead of losing it.
      heading.current?.focus();
    } catch (failure) {
      fail(failure);
    }
  };
  const send = async (
    { files, manifest, plan }: { files: ChosenFile[]; manifest: ManifestEntry[]; plan: Plan },
    goLive: boolean,
  ) => {
    const total = plan.bytesToSend;
    setState({ step: "uploading", done: 0, total });
    try {
      const created = await upload(site, manifest, {
        files,
        message,
        onProgress: (done) => setState({ step: "uploading", done: Math.min(done, total), total }),
      });
      if (goLive) await activate(created.id, live);
      setState(goLive ? { step: "live", created } : { step: "uploaded", created, plan });
      heading.current?.focus();
      await onChanged();
    } catch (failure) {
      fail(failure);
      await onChanged();
    }
  };
  const putLive = async (created: Created) => {
    try {
      await activate(created.id, live);
      setState({ step: "live", created });
      heading.current?.focus();
    } catch (failure) {
      setError(failure);
    }
    await onChanged();
  };

  return (
    <section class="card stack" aria-labelledby="publish-title">
      <h2 id="publish-title" ref={heading} tabIndex={-1}>
        {state.step === "live" ? "Live" : state.step === "uploaded" ? "Ready to look at" : "Publish"}
      </h2>
      <Failure error={error} />
      {faults.length > 0 && (
        <div class="notice bad" role="alert">
          <p>This cannot be published:</p>
          <ul>
            {faults.slice(0, 10).map((fault) => (
              <li key={fault}>{fault}</li>
            ))}
            {faults.length > 10 && <li>and {faults.length - 10} more</li>}
          </ul>
        </div>
      )}
      {state.step === "choose" && <DropZone limits={limits} onFiles={(files) => void choose(files)} />}
      {state.step === "hashing" && (
        <Meter
          label="Reading the files"
          done={state.done}
          total={state.total}
          detail={`${bytesText(state.done)} of ${bytesText(state.total)}`}
        />
      )}
      {state.step === "plan" && (
        <>
          <ChangeList changes={state.plan.changes} what="Publishing" />
          {state.plan.warnings.map((warning) => (
            <p class="notice warn" key={warning}>
              {warning}
            </p>
          ))}
          <p class="quiet">
            {countText(state.manifest.length, "file")}, {bytesText(totalOf(state.files))};{" "}
            {state.plan.bytesToSend === 0
              ? "the server has all of them already."
              : `${bytesText(state.plan.bytesToSend)} to upload.`}
          </p>
          <div class="field">
            <label for={messageId}>
              Note for the history <span class="quiet">(optional)</span>
            </label>
            <input
              id={messageId}
              value={message}
              maxLength={500}
              onInput={(event) => setMessage(event.currentTarget.value)}
            />
          </div>
          <div class="row">
            {may(me, "activate") && (
              <button type="button" class="primary" onClick={() => void send(state, true)}>
                Publish now
              </button>
            )}
            <button type="button" onClick={() => void send(state, false)}>
              Upload as a preview
            </button>
            <button type="button" class="plain" onClick={restart}>
              Choose again
            </button>
          </div>
        </>
      )}
      {state.step === "uploading" && (
        <Meter
          label="Uploading"
          done={state.done}
          total={state.total}
          detail={`${bytesText(state.done)} of ${bytesText(state.total)}`}
        />
      )}
      {state.step === "uploaded" && (
        <>
          <p>
            Uploaded, and not live yet: <a href={state.created.previewUrl}>look at the preview</a>.
          </p>
          <ChangeList changes={state.plan.changes} what="Publishing" />
          <div class="row">
            {may(me, "activate") ? (
              <button type="button" class="primary" onClick={() => void putLive(state.created)}>
                Go live
              </button>
            ) : (
              <p class="quiet">
                Your token may upload but not go live: somebody who may does it in the history below.
              </p>
            )}
            <button type="button" class="plain" onClick={restart}>
              Publish something else
            </button>
          </div>
        </>
      )}
      {state.step === "live" && (
        <>
          <p class="notice good" role="status">
            <a href={state.created.siteUrl}>{state.created.siteUrl}</a> now shows what you published.
          </p>
          <div class="row">
            <button type="button" onClick={restart}>
              Publish again
            </button>
          </div>
        </>
      )}
    </section>
  );
};
