/** Endpoint and credentials of a DynamoDB engine. */
export interface DynamoDbEndpoint {
  endpoint: string;
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
}
