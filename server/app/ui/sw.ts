// The page's service worker: it shows what the sender of notices pushes, also while no page is open.

type Pushed = { id: string; title: string; text: string; url?: string };
type PushEvent = Event & {
  data: { json: () => unknown } | null;
  waitUntil: (work: Promise<unknown>) => void;
};
type ClickEvent = Event & {
  notification: { close: () => void; data: unknown };
  waitUntil: (work: Promise<unknown>) => void;
};
type Worker = {
  registration: {
    showNotification: (title: string, options: Record<string, unknown>) => Promise<void>;
  };
  clients: { openWindow: (url: string) => Promise<unknown> };
  addEventListener: ((type: "push", listen: (event: PushEvent) => void) => void) &
    ((type: "notificationclick", listen: (event: ClickEvent) => void) => void);
};

const worker = globalThis as unknown as Worker;

worker.addEventListener("push", (event) => {
  if (!event.data) return;
  const { id, title, text, url } = event.data.json() as Pushed;
  event.waitUntil(
    worker.registration.showNotification(title, {
      body: text,
      // What is sent a second time takes the place of the first.
      tag: id,
      icon: "/app/icon-192.png",
      data: url ?? "/app",
    }),
  );
});

worker.addEventListener("notificationclick", (event) => {
  const { notification } = event;
  notification.close();
  event.waitUntil(worker.clients.openWindow(String(notification.data)));
});
