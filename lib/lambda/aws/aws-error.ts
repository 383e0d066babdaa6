/** An error response of an AWS service. Its `name` is the error name that the AWS SDK uses. */
export class AwsError extends Error {
  /** A property of SDK errors. By it, `isOfAws` recognizes errors of the SDK and of this smaller client. */
  readonly $metadata: { httpStatusCode: number; requestId: string | undefined };
  /** The reasons why DynamoDB canceled a transaction, one for each write. */
  readonly CancellationReasons?: readonly { Code?: string; Message?: string }[];

  constructor(
    name: string,
    message: string,
    {
      status,
      requestId,
      reasons,
    }: { status: number; requestId?: string | undefined; reasons?: AwsError['CancellationReasons'] | undefined },
  ) {
    super(message);
    this.name = name;
    this.$metadata = { httpStatusCode: status, requestId };
    if (reasons !== undefined) this.CancellationReasons = reasons;
  }
}
