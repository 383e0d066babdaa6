interface UserIssuerServices {
  /** Sends the response of a custom resource to CloudFormation, which waits for it. */
  answer(url: string, body: string): Promise<unknown>;
}

/** The fields of a custom resource's event that the function reads. */
interface CustomResourceEvent {
  RequestType: string;
  ResponseURL: string;
  StackId: string;
  RequestId: string;
  LogicalResourceId: string;
  ResourceProperties?: { UserIssuer?: string };
  /** The earlier properties of the custom resource. Present only if CloudFormation updates the resource. */
  OldResourceProperties?: { UserIssuer?: string };
}

/**
 * Returns the user issuer, with a warning if it changed. A user's identity belongs to one issuer, so users lose access
 * to their accounts after a change. The deployment continues, so that an operator can change the issuer back.
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
  // Sends no content type, because CloudFormation's presigned URL is for a request without one.
  return { answer: (url, body) => fetch(url, { method: 'PUT', headers: { 'content-type': '' }, body }) };
}
