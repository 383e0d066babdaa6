import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { auditEventOf, type TableChange } from '../domain/table-changes.ts';
import type { AuditEventStore } from '../store/audit.ts';

export interface StreamServices {
  auditEvents: Pick<AuditEventStore, 'record'>;
  log(entry: { sequence_number: string; failure: unknown }): void;
}

type StreamHandler = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;

/** Handles records in their order and stops at the first that fails: Lambda comes again from there. */
export function createStreamHandler(services: StreamServices): StreamHandler {
  return async (event) => {
    for (const record of event.Records) {
      try {
        const audit = auditEventOf(tableChangeFrom(record));
        if (audit !== undefined) await services.auditEvents.record(audit);
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

function tableChangeFrom({ dynamodb }: DynamoDBRecord): TableChange {
  const read = (image: unknown) =>
    image === undefined ? undefined : unmarshall(image as Record<string, AttributeValue>);
  return { before: read(dynamodb?.OldImage), after: read(dynamodb?.NewImage) };
}
