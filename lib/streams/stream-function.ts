import type { StreamHandler } from './stream-records.ts';

/** The Lambda of a lane. Its services are made from the environment at the first batch and kept. */
export function streamFunction<Services>(
  create: (services: Services) => StreamHandler,
  deployed: () => Services,
): StreamHandler & { withServices(services: Services): StreamHandler } {
  let handler: StreamHandler | undefined;
  const entry: StreamHandler = (event) => {
    handler ??= create(deployed());
    return handler(event);
  };
  return Object.assign(entry, { withServices: create });
}
