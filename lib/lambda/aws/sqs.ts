import { createAwsJsonService } from './json-service.ts';
import { createPostClient } from './post.ts';

/** Sends a message to a queue, which delivers the message after the delay. Rejects if the queue does not accept it. */
export type SendMessage = (body: string, delaySeconds: number) => Promise<void>;

/**
 * Returns a function that calls SendMessage (Amazon SQS API reference). It makes only one attempt, because revocations
 * wait for it.
 *
 * @param queueUrl such as `https://sqs.eu-west-1.amazonaws.com/111122223333/sluice-invalidations`
 */
export function createMessageSender(queueUrl: string, region: string, connect = createPostClient): SendMessage {
  const options = { region, triesMax: 1, timeoutMs: 2000 };
  const client = connect(new URL(queueUrl).origin);
  const service = createAwsJsonService({ name: 'sqs', target: 'AmazonSQS', version: '1.0' }, options, client);
  return async (MessageBody, DelaySeconds) => {
    await service.call('SendMessage', { QueueUrl: queueUrl, MessageBody, DelaySeconds });
  };
}
