import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ConsumedCapacity as Consumed, DynamoDBClient } from '@aws-sdk/client-dynamodb';

export interface TableUse {
  /** The number of round trips to the database. */
  requests: number;
  reads: number;
  transactions: number;
  readUnits: number;
  writeUnits: number;
}

const requestStart = 'http.server.request.start';

/** Counts the table usage of the requests in one measurement. Requests of background tasks are not counted. */
export class TableMeter {
  readonly #measured = new AsyncLocalStorage<TableUse | undefined>();
  #current: TableUse | undefined;
  // Called at each HTTP request. A server in this process handles the request in the async context that begins here.
  readonly #onRequest = () => this.#measured.enterWith(this.#current);

  constructor() {
    subscribe(requestStart, this.#onRequest);
  }

  close(): void {
    unsubscribe(requestStart, this.#onRequest);
  }

  /** The function to pass to `startLocalService`. It counts the requests of a table client. */
  instrument(client: Pick<DynamoDBClient, 'middlewareStack'>): void {
    client.middlewareStack.add(
      (next, context) => async (args) => {
        const use = this.#measured.getStore();
        if (use === undefined) return next(args);
        const isRead = /^(?:Get|BatchGet|Query|TransactGet)/.test(context.commandName ?? '');
        use.requests += 1;
        if (isRead) use.reads += 1;
        if (context.commandName?.startsWith('TransactWrite')) use.transactions += 1;
        const answer = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
        const { ConsumedCapacity: consumed = [] } = answer.output as { ConsumedCapacity?: Consumed | Consumed[] };
        for (const { CapacityUnits = 0 } of [consumed].flat())
          use[isRead ? 'readUnits' : 'writeUnits'] += CapacityUnits;
        return answer;
      },
      { step: 'initialize', name: 'measureTableUse' },
    );
  }

  async measure<T>(work: () => Promise<T>): Promise<{ use: TableUse; result: T }> {
    const use: TableUse = { requests: 0, reads: 0, transactions: 0, readUnits: 0, writeUnits: 0 };
    this.#current = use;
    try {
      return { result: await work(), use };
    } finally {
      this.#current = undefined;
    }
  }
}
