import { refuseUnknownRoute } from '../../lib/http/targets.ts';
import { constantFunction } from '../../lib/lambda/functions/constant-function.ts';
import { answerUnknownRoute } from '../../lib/operations/unknown-route.ts';

export const handler = constantFunction(answerUnknownRoute, refuseUnknownRoute);
