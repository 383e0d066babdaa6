import { constantFunction } from '../../lib/lambda/functions/constant-function.ts';
import { getHealth } from '../../lib/operations/public.ts';

export const handler = constantFunction(getHealth, async () => ({ status: 'ok' as const }));
