/**
 * Remembers for each request what was found out about it. A route asks who sent a request before it reads it
 * and again when it answers: the same, for one look into the database, and a wrong secret counts once.
 */
export const oncePerRequest = <Ports, Found>(
  find: (ports: Ports, request: Request) => Promise<Found>,
): ((ports: Ports, request: Request) => Promise<Found>) => {
  const known = new WeakMap<Request, Promise<Found>>();
  return (ports, request) => {
    const found = known.get(request) ?? find(ports, request);
    known.set(request, found);
    return found;
  };
};
