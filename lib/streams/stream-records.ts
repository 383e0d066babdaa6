import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { DeliveredChange } from '../domain/changes/table-changes.ts';

export type StreamHandler = (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;

export type StreamLog = (entry: { sequence_number: string; failure: unknown }) => void;

export const everythingDone: DynamoDBBatchResponse = { batchItemFailures: [] };

/** Returns the response that makes Lambda retry from the given record on. */
export function failedFrom(record: DynamoDBRecord | undefined): DynamoDBBatchResponse {
  return { batchItemFailures: [{ itemIdentifier: sequenceNumberOf(record) }] };
}

export function changeFrom({ dynamodb, userIdentity, ...record }: DynamoDBRecord): DeliveredChange {
  const read = (image: unknown) =>
    image === undefined ? undefined : unmarshall(image as Record<string, AttributeValue>);
  return {
    changeId: sequenceNumberOf({ dynamodb, ...record }),
    changedAt: (dynamodb?.ApproximateCreationDateTime ?? 0) * 1000,
    // True if DynamoDB's time to live deleted the item. DynamoDB then adds this identity to the record.
    byTtl: userIdentity?.type === 'Service' && userIdentity.principalId === 'dynamodb.amazonaws.com',
    before: read(dynamodb?.OldImage),
    after: read(dynamodb?.NewImage),
  };
}

export function sequenceNumberOf(record: DynamoDBRecord | undefined): string {
  return record?.dynamodb?.SequenceNumber ?? '';
}
