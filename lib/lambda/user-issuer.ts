interface UserIssuerServices {
  /** Sends the response that CloudFormation waits for. */
  answer(url: string, body: string): Promise<unknown>;
}

/** The part of a custom resource's event that the function reads. */
interface CustomResourceEvent {
  RequestType: string;
  ResponseURL: string;
  StackId: string;
  RequestId: string;
  LogicalResourceId: string;
  ResourceProperties?: { UserIssuer?: string };
  /** Present in an update. */
  OldResourceProperties?: { UserIssuer?: string };
}

/**
 * Returns the issuer of users, with a warning when it changed. An identity belongs to one issuer, so after a change
 * users lose access to their accounts. The deployment continues, because a refusal would also prevent the change back.
 */
function describeIssuer({ ResourceProperties, OldResourceProperties }: CustomResourceEvent): string {
  const issuer = ResourceProperties?.UserIssuer ?? '';
  const before = OldResourceProperties?.UserIssuer;
  return before === undefined || before === issuer
    ? issuer
    : `WARNING: users signed in with ${before} until now, and sign in with ${issuer} from now on. They no longer reach their accounts. Restore userIssuer unless you want this.`;
}

export function createUserIssuerHandler({ answer }: UserIssuerServices) {
  return async (event: CustomResourceEvent): Promise<void> => {
    const { StackId, RequestId, LogicalResourceId } = event;
    const body = {
      ...{ StackId, RequestId, LogicalResourceId, PhysicalResourceId: 'people-issuer', Status: 'SUCCESS' },
      Data: { UserIssuer: describeIssuer(event) },
    };
    await answer(event.ResponseURL, JSON.stringify(body));
  };
}

export function lambdaUserIssuer(): UserIssuerServices {
  // CloudFormation signs its URL for a request without a content type.
  return { answer: (url, body) => fetch(url, { method: 'PUT', headers: { 'content-type': '' }, body }) };
}
