import { type DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { LocalStartError } from '../start-error.ts';

/**
 * Checks that an engine answers. The SDK alone would wait forever for one that accepts connections and stays silent.
 */
export async function requireRunningEngine(client: DynamoDBClient, endpoint: string): Promise<void> {
  try {
    await client.send(new ListTablesCommand({ Limit: 1 }), { abortSignal: AbortSignal.timeout(10_000) });
  } catch (cause) {
    throw new LocalStartError(
      `No DynamoDB engine answers at ${endpoint}: start one there, or unset SLUICE_DYNAMODB_ENDPOINT to use the embedded one.`,
      { cause },
    );
  }
}
