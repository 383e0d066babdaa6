import { type DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { LocalStartError } from '../start-error.ts';

/** The SDK itself would wait for ever for an engine that takes connections and does not answer. */
export async function requireAnswer(client: DynamoDBClient, endpoint: string): Promise<void> {
  try {
    await client.send(new ListTablesCommand({ Limit: 1 }), { abortSignal: AbortSignal.timeout(10_000) });
  } catch (cause) {
    throw new LocalStartError(
      `No DynamoDB engine answers at ${endpoint}: start one there, or unset SLUICE_DYNAMODB_ENDPOINT to use the embedded one.`,
      { cause },
    );
  }
}
