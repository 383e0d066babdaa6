/**
 * A Lambda that creates its services at its first event. `withServices` returns it with other services, for example
 * those of `npm start`.
 */
export interface LazyFunction<Services, Args extends readonly unknown[], Result> {
  (...args: Args): Promise<Result>;
  withServices(services: Services): (...args: Args) => Promise<Result>;
}

/**
 * Creates a Lambda whose services are created once, at the first event. If their creation fails, the event fails, and
 * the next event tries again.
 */
export function lazyFunction<Services, Args extends readonly unknown[], Result>(
  create: (services: Services) => (...args: Args) => Promise<Result>,
  createDeployed: () => Services | Promise<Services>,
): LazyFunction<Services, Args, Result> {
  const make = async () => create(await createDeployed());
  let making: ReturnType<typeof make> | undefined;
  const entry = async (...args: Args) => {
    const made = making ?? make();
    making = made;
    const handler = await made.catch((error: unknown) => {
      making = undefined;
      throw error;
    });
    return handler(...args);
  };
  return Object.assign(entry, { withServices: create });
}
