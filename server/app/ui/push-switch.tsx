import { useEffect, useState } from "preact/hooks";
import { call } from "./api.ts";
import { Button, Failure } from "./parts.tsx";
import { agoText } from "./night/words.ts";
import { useWork } from "./use-work.ts";

const WORKER = "/app/sw.js";

type Policies = {
  createPolicy: (
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ) => { createScriptURL: (url: string) => string };
};
/** A service worker is a script: the page's policy lets this one address become one. */
const policy = (globalThis as { trustedTypes?: Policies }).trustedTypes?.createPolicy("service-worker", {
  createScriptURL: () => WORKER,
});

/** Safari on a phone pushes to installed pages only. */
const isPlainSafari = (): boolean =>
  "standalone" in navigator && (navigator as { standalone?: boolean }).standalone === false;

const findSubscription = async (): Promise<PushSubscription | null> => {
  const registration = await navigator.serviceWorker.getRegistration("/app");
  return (await registration?.pushManager.getSubscription()) ?? null;
};

const tellServer = async (subscription: PushSubscription): Promise<void> => {
  const { endpoint, keys } = subscription.toJSON();
  const { p256dh = "", auth = "" } = keys ?? {};
  await call(({ api }) => api.push.devices.post({ endpoint: endpoint ?? "", p256dh, auth }));
};

const subscribe = async (): Promise<void> => {
  const { publicKey } = await call(({ api }) => api.push.get());
  await navigator.serviceWorker.register(policy?.createScriptURL(WORKER) ?? WORKER, { scope: "/app" });
  const { pushManager } = await navigator.serviceWorker.ready;
  await tellServer(await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey }));
};

const unsubscribe = async (): Promise<void> => {
  const subscription = await findSubscription();
  if (!subscription) return;
  await call(({ api }) => api.push.devices.forget.post({ endpoint: subscription.endpoint }));
  await subscription.unsubscribe();
};

/** Why this browser cannot be told, in words; undefined when it can. */
const obstacle = (): string | undefined => {
  if (!isSecureContext)
    return "Notifications need https. Open this page under an https address to turn them on.";
  if (isPlainSafari())
    return "To get notifications, add this page to the home screen and open it from there.";
  if (!("serviceWorker" in navigator) || !("PushManager" in globalThis))
    return "This browser does not support notifications from pages.";
  if (Notification.permission === "denied") return "Notifications are blocked in this browser's settings.";
  return undefined;
};

/** When a machine of workers looked for devices last: without it nothing will ever come. */
const SenderHint = ({ askedAt }: { askedAt: string | undefined }) =>
  askedAt === undefined ? (
    <p class="quiet">
      Nothing sends notifications yet. Add <code>{'"phone": { "type": "webpush" }'}</code> to the channels of{" "}
      <code>~/.nightshift/notify.json</code> on the machine where your workers run, then test it:{" "}
      <code>nightshift notify test</code>
    </p>
  ) : (
    <p class="quiet">
      Your machines last checked for devices {agoText((Date.now() - Date.parse(askedAt)) / 1000)}.
    </p>
  );

/** Turns notifications on this device on and off. */
export const PushSwitch = () => {
  const [isOn, setOn] = useState<boolean>();
  const [askedAt, setAskedAt] = useState<string>();
  const { error, run } = useWork();
  const problem = obstacle();
  const look = async () => {
    const subscription = await findSubscription();
    if (subscription) {
      // A server that was set up again knows nothing of it.
      await tellServer(subscription);
      setAskedAt((await call(({ api }) => api.push.get())).askedAt);
    }
    setOn(subscription !== null);
  };
  const change = (act: () => Promise<void>) =>
    run(async () => {
      await act();
      await look();
    });
  useEffect(() => {
    if (problem === undefined) void run(look);
  }, []);
  return (
    <section class="stack tight" aria-labelledby="push-title">
      <h2 id="push-title">Notifications</h2>
      {problem !== undefined && <p class="quiet">{problem}</p>}
      {problem === undefined && isOn !== undefined && (
        <div class="row">
          <Button
            text={isOn ? "Stop notifying this device" : "Notify this device"}
            onClick={() => change(isOn ? unsubscribe : subscribe)}
          />
        </div>
      )}
      {isOn && <SenderHint askedAt={askedAt} />}
      <Failure error={error} />
    </section>
  );
};
