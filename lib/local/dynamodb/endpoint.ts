/** Where a DynamoDB engine listens, and what signs requests to it. */
export interface DynamoDbEndpoint {
  endpoint: string;
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
}
