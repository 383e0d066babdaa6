import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

export interface TableRequest {
  command: string;
  input: Record<string, unknown>;
}

/** Records the requests of the clients that `instrument` gets. `before` runs before each request, and may refuse it. */
export function watchRequests(before: (request: TableRequest) => unknown = () => undefined) {
  const requests: TableRequest[] = [];
  const instrument = (client: Pick<DynamoDBClient, 'middlewareStack'>): void =>
    client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const request = { command: String(commandName), input: args.input as TableRequest['input'] };
          requests.push(request);
          await before(request);
          return next(args);
        },
      { step: 'initialize' },
    );
  return { requests, instrument, commands: () => requests.map(({ command }) => command) };
}
