import type { FindSiteSignIn } from '../../domain/accounts/site-sign-in.ts';
import type { Run } from '../../http/pipeline.ts';
import type { Operation } from '../../operations/operation.ts';
import { readEnvironment, readSiteClientId } from '../environment.ts';
import { createDeployedPageServices, type PageServices } from '../site/page-services.ts';
import { createDeployedSiteSignIn } from '../site/site-sign-in.ts';
import { type PageFunctionOf, pageFunctionWith, type RenderRefusal } from './page-function.ts';

export interface SignInPageServices extends PageServices {
  findSiteSignIn: FindSiteSignIn;
}

/** Creates the Lambda of a sign-in page. `signsIn` of its operation grants the right to read the OIDC client. */
export function signInPageFunction<Op extends Operation & { signsIn: true }>(
  operation: Op,
  run: Run<Op, SignInPageServices>,
  renderRefusal: RenderRefusal,
): PageFunctionOf<SignInPageServices> {
  return pageFunctionWith(createServices, operation, run, renderRefusal);
}

async function createServices(): Promise<SignInPageServices> {
  const services = await createDeployedPageServices();
  const findSiteSignIn = createDeployedSiteSignIn(readEnvironment(), readSiteClientId(), services);
  return { ...services, findSiteSignIn };
}
