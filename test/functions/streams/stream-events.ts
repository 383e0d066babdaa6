import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';

type Item = Record<string, unknown>;
type Image = NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['NewImage']>;

let sequence = 1000;

/** Returns a record of the table's stream as Lambda delivers it. Each has its own sequence number. */
export function streamRecord(
  { before, after }: { before?: Item; after?: Item },
  { byTtl = false } = {},
): DynamoDBRecord {
  sequence += 1;
  const image = (item: Item) => marshall(item, { removeUndefinedValues: true }) as Image;
  return {
    eventID: `event ${sequence}`,
    dynamodb: {
      ApproximateCreationDateTime: Date.UTC(2026, 10, 21, 10) / 1000,
      SequenceNumber: String(sequence),
      ...(before === undefined ? {} : { OldImage: image(before) }),
      ...(after === undefined ? {} : { NewImage: image(after) }),
    },
    ...(byTtl ? { userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' } } : {}),
  };
}

export function streamEvent(...Records: DynamoDBRecord[]): DynamoDBStreamEvent {
  return { Records };
}

export function sequenceNumberOf({ dynamodb }: DynamoDBRecord): string {
  return dynamodb?.SequenceNumber ?? '';
}
