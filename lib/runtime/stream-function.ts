import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { auditEventOf, remainsOf, type TableChange } from '../domain/table-changes.ts';
import type { Store } from '../store/store.ts';

export interface StreamServices {
  store: Pick<Store, 'auditEvents' | 'serviceAccounts' | 'serviceAccountKeys'>;
  log(entry: { sequence_number: string; failure: unknown }): void;
}

type StreamHandler = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;

/** Handles records in their order and stops at the first that fails: Lambda comes again from there. */
export function createStreamHandler(services: StreamServices): StreamHandler {
  return async (event) => {
    for (const record of event.Records) {
      try {
        await propagate(tableChangeFrom(record), services);
      } catch (failure) {
        const itemIdentifier = record.dynamodb?.SequenceNumber ?? '';
        services.log({ sequence_number: itemIdentifier, failure });
        return { batchItemFailures: [{ itemIdentifier }] };
      }
    }
    return { batchItemFailures: [] };
  };
}

export function streamFunction(
  deployed: () => StreamServices,
): StreamHandler & { withServices(services: StreamServices): StreamHandler } {
  let handler: StreamHandler | undefined;
  const entry: StreamHandler = (event) => {
    handler ??= createStreamHandler(deployed());
    return handler(event);
  };
  return Object.assign(entry, { withServices: createStreamHandler });
}

/** Each step may run again for the same change: Lambda delivers at least once. */
async function propagate(change: TableChange, { store }: StreamServices): Promise<void> {
  const audit = auditEventOf(change);
  if (audit !== undefined) await store.auditEvents.record(audit);
  const remains = remainsOf(change);
  switch (remains?.kind) {
    case 'of_service_account':
      return store.serviceAccounts.removeRemains(remains.uid);
    case 'of_key':
      return store.serviceAccountKeys.removePointer(remains.uid, remains.key_id);
  }
}

function tableChangeFrom({ dynamodb }: DynamoDBRecord): TableChange {
  const read = (image: unknown) =>
    image === undefined ? undefined : unmarshall(image as Record<string, AttributeValue>);
  return { before: read(dynamodb?.OldImage), after: read(dynamodb?.NewImage) };
}
