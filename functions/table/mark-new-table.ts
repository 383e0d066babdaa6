import { deployedNewTable, newTableFunction } from '../../lib/lambda/new-table.ts';

/** Closes the data migrations of a table that nothing was ever written to, when CloudFormation makes the stack of its stream. */
export const handler = newTableFunction(deployedNewTable);
