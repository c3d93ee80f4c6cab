/** The page that offers the tool; the element shows what a tool answered last. */
export const renderPage = (): Response =>
  new Response('<!doctype html><title>Books</title><h1>Books</h1><pre id="webmcp-result"></pre>', {
    headers: { "content-type": "text/html; charset=utf-8" },
  });
