/** A Lambda that makes its services at its first event. `withServices` is the same over others: how one machine runs it. */
export interface LazyFunction<Services, Args extends readonly unknown[], Result> {
  (...args: Args): Promise<Result>;
  withServices(services: Services): (...args: Args) => Promise<Result>;
}

/** The services are made once; when they cannot be made, the event fails and the next one tries again. */
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
