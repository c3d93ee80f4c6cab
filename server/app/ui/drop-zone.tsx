import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Limits } from "./api.ts";
import { publishObstacle } from "./check-files.ts";
import { type Chosen, fromDrop, fromInput } from "./collect.ts";
import { mebibytesText } from "./format.ts";
import { Button, Failure } from "./parts.tsx";
import { useWork } from "./use-work.ts";

type Props = { limits: Limits; onFiles: (chosen: Chosen) => void };

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes("Files") === true;

/** Files that are dropped anywhere on the page; beside the box a browser would open them in the page's place. */
const useDrop = (onDrop: (transfer: DataTransfer) => void): boolean => {
  const [isOver, setOver] = useState(false);
  const take = useRef(onDrop);
  take.current = onDrop;
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    // Only leaving the window itself enters nothing else.
    const leave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event) || !event.dataTransfer) return;
      event.preventDefault();
      setOver(false);
      take.current(event.dataTransfer);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, []);
  return isOver;
};

/** Takes a folder or a zip, dropped or chosen; the limits are said before they bite. */
export const DropZone = (props: Props) => {
  const obstacle = publishObstacle();
  return obstacle === undefined ? <Zone {...props} /> : <p class="notice warn">{obstacle}</p>;
};

type ChooserProps = {
  text: string;
  kind: Record<string, unknown>;
  isPrimary?: boolean;
  hintId: string;
  onList: (list: FileList) => void;
};

const Chooser = ({ text, kind, isPrimary = false, hintId, onList }: ChooserProps) => {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button
        text={text}
        class={isPrimary ? "primary" : ""}
        aria-describedby={hintId}
        onClick={() => input.current?.click()}
      />
      <input
        ref={input}
        type="file"
        hidden
        {...kind}
        onChange={(event) => {
          const { files } = event.currentTarget;
          if (files && files.length > 0) onList(files);
          event.currentTarget.value = "";
        }}
      />
    </>
  );
};

const Zone = ({ limits, onFiles }: Props) => {
  const { error, run } = useWork();
  const take = (chosen: Promise<Chosen>) => void run(async () => onFiles(await chosen));
  const isOver = useDrop((transfer) => take(fromDrop(transfer, limits)));
  const hintId = useId();
  const onList = (list: FileList) => take(fromInput(list, limits));
  return (
    <>
      <Failure error={error} />
      <div class={isOver ? "drop over" : "drop"}>
        <p class="strong">Drop a folder or a zip here</p>
        <div class="row">
          <Chooser
            text="Choose a folder"
            kind={{ multiple: true, webkitdirectory: true }}
            isPrimary
            hintId={hintId}
            onList={onList}
          />
          <Chooser text="Choose a zip" kind={{ accept: ".zip" }} hintId={hintId} onList={onList} />
        </div>
        <p class="quiet" id={hintId}>
          It must contain an index.html. Up to {limits.maxFiles} files, {mebibytesText(limits.maxFileBytes)}{" "}
          each, {mebibytesText(limits.maxSiteBytes)} in total.
        </p>
      </div>
    </>
  );
};
