import { constantFunction } from '../../lib/deployed/functions/constant-function.ts';
import { refuseUnknownRoute } from '../../lib/http/unknown-route.ts';
import { answerUnknownRoute } from '../../lib/operations/public.ts';

export const handler = constantFunction(answerUnknownRoute, refuseUnknownRoute);
