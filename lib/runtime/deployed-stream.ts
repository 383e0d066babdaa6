import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { createStore } from '../store/store.ts';
import type { StreamServices } from './stream-function.ts';
import { openTable } from './table.ts';

export function deployedStream(): StreamServices {
  const { SLUICE_TABLE_NAME } = z.object({ SLUICE_TABLE_NAME: z.string() }).parse(process.env);
  return {
    store: createStore(openTable(new DynamoDBClient(), SLUICE_TABLE_NAME)),
    log: ({ sequence_number, failure }) => {
      const { name, message } = failure instanceof Error ? failure : new Error(String(failure));
      console.error(JSON.stringify({ level: 'ERROR', sequence_number, error: name, message }));
    },
  };
}
