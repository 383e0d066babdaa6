import type { AttributeValue, _Record as StreamRecord } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord, AttributeValue as EventValue } from 'aws-lambda';
import type { TtlDeletes } from './ttl-ledger.ts';

/** Converts a stream record to the JSON that Lambda sends to a function: base64 for bytes, seconds for times. */
export function toEventRecord(record: StreamRecord, streamArn: string, ttlDeletes: TtlDeletes): DynamoDBRecord {
  const { ApproximateCreationDateTime: created, Keys, NewImage, OldImage, ...rest } = record.dynamodb ?? {};
  const byTtl = record.eventName === 'REMOVE' && Keys !== undefined && ttlDeletes.take(Keys);
  return {
    ...(record.eventID === undefined ? {} : { eventID: record.eventID }),
    ...(record.eventName === undefined ? {} : { eventName: record.eventName }),
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    eventSourceARN: streamArn,
    awsRegion: streamArn.split(':')[3] ?? '',
    dynamodb: {
      ...(created === undefined ? {} : { ApproximateCreationDateTime: Math.floor(created.getTime() / 1000) }),
      ...(Keys === undefined ? {} : { Keys: toEventValues(Keys) }),
      ...(NewImage === undefined ? {} : { NewImage: toEventValues(NewImage) }),
      ...(OldImage === undefined ? {} : { OldImage: toEventValues(OldImage) }),
      ...rest,
    },
    ...(byTtl ? { userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' } } : {}),
  };
}

function toEventValues(values: Record<string, AttributeValue>): Record<string, EventValue> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toEventValue(value)]));
}

function toEventValue(value: AttributeValue): EventValue {
  if (value.B !== undefined) return { B: toBase64(value.B) };
  if (value.BS !== undefined) return { BS: value.BS.map(toBase64) };
  if (value.L !== undefined) return { L: value.L.map(toEventValue) };
  if (value.M !== undefined) return { M: toEventValues(value.M) };
  if (value.S !== undefined) return { S: value.S };
  if (value.N !== undefined) return { N: value.N };
  if (value.BOOL !== undefined) return { BOOL: value.BOOL };
  if (value.NULL !== undefined) return { NULL: value.NULL };
  if (value.SS !== undefined) return { SS: value.SS };
  if (value.NS !== undefined) return { NS: value.NS };
  throw new Error('a stream record holds a value of an unknown type');
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
