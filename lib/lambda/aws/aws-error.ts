/** A refusal by a service of AWS, named as the AWS SDK names it. */
export class AwsError extends Error {
  /** Under the SDK's name, by which `isOfAws` knows either. */
  readonly $metadata: { httpStatusCode: number; requestId: string | undefined };
  /** Of a transaction that DynamoDB canceled: one for each of its writes. */
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
