import { callerKinds, type NumberedRows, type Verdict } from './matrix-shape.ts';

/**
 * The table of section "Authentication" of the specification, for the operations that section 4.1 numbers: `Y` allowed,
 * `n` denied, `u` unauthenticated. A kind of caller that the specification omits has `n` here, even an admin. Three
 * rules are not in that table. The user of a personal account counts as an owner of its repositories. A user's API key
 * may read what its user may read, create and update repositories, and update profiles. Row 9 leaves platform service
 * accounts to admins.
 */
const table = `\
                                                                       anonymous, newcomer
                                                                       |  self, stranger
                                                                       |  |  owners, maintainers, read_data, write_data of the account
                                                                       |  |  |    the same of the repository
                                                                       |  |  |    |    invited, revoked
                                                                       |  |  |    |    |  disabled: user, admin
                                                                       |  |  |    |    |  |  keys: of self, of owners, of an admin
                                                                       |  |  |    |    |  |  |   keys: of a service account, organization, repository
                                                                       |  |  |    |    |  |  |   |   admin
 1  create-account-api-key                  user                       un Yn nnnn nnnn nn nn nnn nnn n
                                            organization               un nn YYnn nnnn nn nn nnn nnn n
                                            service                    un nn nnnn nnnn nn nn nnn nnn Y
 2  list-account-api-keys                   user                       un Yn nnnn nnnn nn nn Ynn nnn n
                                            organization               un nn YYnn nnnn nn nn nYn nnn n
                                            service                    un nn nnnn nnnn nn nn nnn nnn Y
 3  revoke-api-key                          user                       un Yn nnnn nnnn nn nn nnn nnn Y
                                            organization               un nn YYnn nnnn nn nn nnn nnn Y
                                            service                    un nn nnnn nnnn nn nn nnn nnn Y
 3  revoke-api-key of a repository          user                       un Yn nnnn YYnn nn nn nnn nnn Y
                                            organization               un nn YYnn YYnn nn nn nnn nnn Y
 4  create-repository-api-key               user                       un Yn nnnn YYnn nn nn nnn nnn Y
                                            organization               un nn YYnn YYnn nn nn nnn nnn Y
                                            service                    un nn nnnn nnnn nn nn nnn nnn Y
 5  list-repository-api-keys                user                       un Yn nnnn YYnn nn nn Ynn nnn Y
                                            organization               un nn YYnn YYnn nn nn nYn nnn Y
                                            service                    un nn nnnn nnnn nn nn nnn nnn Y
 6  get-account-flags                       user                       un Yn nnnn nnnn nn nn Ynn nnn Y
                                            organization               un nn YYnn nnnn nn nn nYn nnn Y
                                            service                    un nn nnnn nnnn nn nn nnn nnn Y
 7  update-account-flags                    user+organization+service  un nn nnnn nnnn nn nn nnn nnn Y
 8  get-account                             user                       un Yn nnnn nnnn nn nn Ynn nnn Y
                                            organization               un nn YYnn nnnn nn nn nYn nnn Y
                                            service                    un nn nnnn nnnn nn nn nnn nnn Y
 9  disable-account                         user+service               un nn nnnn nnnn nn nn nnn nnn Y
                                            organization               un nn YYnn nnnn nn nn nnn nnn n
10  invite-account-member                   user                       un Yn nnnn nnnn nn nn nnn nnn n
                                            organization               un nn YYnn nnnn nn nn nnn nnn n
                                            service                    un nn nnnn nnnn nn nn nnn nnn Y
11  list-account-members                    user                       un Yn nnnn nnnn nn nn Ynn nnn n
                                            organization               un nn YYnn nnnn nn nn nYn nnn n
                                            service                    un nn nnnn nnnn nn nn nnn nnn Y
12  get-profile                             user+organization+service  YY YY YYYY YYYY YY YY YYY YYY Y
13  update-profile                          user                       un Yn nnnn nnnn nn nn Ynn nnn Y
                                            organization               un nn Ynnn nnnn nn nn nYn nnn Y
                                            service                    un nn nnnn nnnn nn nn nnn nnn Y
14  create-account                          user                       uY nn nnnn nnnn nn nn nnn nnn Y
                                            organization               un Yn nnnn nnnn nn nn nnn nnn Y
                                            service                    un nn nnnn nnnn nn nn nnn nnn Y
15  accept-membership                       user+organization+service  un nn nnnn nnnn Yn nn nnn nnn Y
15  accept-membership of a repository       user+organization          un nn nnnn nnnn Yn nn nnn nnn Y
16  reject-membership                       user+organization+service  un nn nnnn nnnn Yn nn nnn nnn Y
16  reject-membership of a repository       user+organization          un nn nnnn nnnn Yn nn nnn nnn Y
17  revoke-membership                       user                       un Yn nnnn nnnn Yn nn nnn nnn Y
                                            organization               un nn YYnn nnnn Yn nn nnn nnn Y
                                            service                    un nn nnnn nnnn Yn nn nnn nnn Y
17  revoke-membership of a repository       user                       un Yn nnnn nnnn Yn nn nnn nnn Y
                                            organization               un nn YYnn YYnn Yn nn nnn nnn Y
18  update-membership-role                  user                       un Yn nnnn nnnn nn nn nnn nnn Y
                                            organization               un nn YYnn nnnn nn nn nnn nnn Y
                                            service                    un nn nnnn nnnn nn nn nnn nnn Y
18  update-membership-role of a repository  user                       un Yn nnnn nnnn nn nn nnn nnn Y
                                            organization               un nn YYnn YYnn nn nn nnn nnn Y
19  invite-repository-member                user                       un Yn nnnn nnnn nn nn nnn nnn Y
                                            organization               un nn YYnn YYnn nn nn nnn nnn Y
                                            service                    un nn nnnn nnnn nn nn nnn nnn Y
20  list-repository-members                 user                       un Yn nnnn nnnn nn nn Ynn nnn Y
                                            organization               un nn YYnn YYnn nn nn nYn nnn Y
                                            service                    un nn nnnn nnnn nn nn nnn nnn Y
21  get-data-connection                     any                        un YY YYYY YYYY YY nn YYY nnn Y
22  update-data-connection                  any                        un nn nnnn nnnn nn nn nnn nnn Y
23  disable-data-connection                 any                        un nn nnnn nnnn nn nn nnn nnn Y
24  list-available-data-connections         any                        un YY YYYY YYYY YY nn YYY nnn Y
25  list-data-connections                   any                        un YY YYYY YYYY YY nn YYY nnn Y
26  create-data-connection                  any                        un nn nnnn nnnn nn nn nnn nnn Y
27  update-repository                       user                       un Yn nnnn nnnn nn nn Ynn nnn Y
                                            organization               un nn YYnn nnnn nn nn nYn nnn Y
                                            service                    un nn nnnn nnnn nn nn nnn nnn Y
28  disable-repository                      user                       un Yn nnnn nnnn nn nn nnn nnn Y
                                            organization               un nn YYnn nnnn nn nn nnn nnn Y
                                            service                    un nn nnnn nnnn nn nn nnn nnn Y
29  get-repository                          user                       un Yn nnnn nnnn nn nn Ynn nnn Y
                                            organization               un nn YYnn nnnn nn nn nYn nnn Y
                                            service                    un nn nnnn nnnn nn nn nnn nnn Y
30  create-repository                       user                       un Yn nnnn nnnn nn nn Ynn nnn Y
                                            organization               un nn YYnn nnnn nn nn nYn nnn Y
                                            service                    un nn nnnn nnnn nn nn nnn nnn Y
31  get-session                             any                        uY YY YYYY YYYY YY YY YYY YYY Y`;

const verdicts: Readonly<Record<string, Verdict>> = { Y: 'allowed', n: 'denied', u: 'unauthenticated' };

function parseTable(): NumberedRows {
  const rows: [name: string, operation: NumberedRows[string]][] = [];
  for (const line of table.split('\n').filter((text) => / [Ynu]$/.test(text))) {
    const [, number, name = '', scopes = '', cells = ''] =
      /^ ?(\d+)? {2}([a-z -]*?) +([a-z+]+) {2}([Ynu ]+)$/.exec(line) ?? [];
    const row = [...cells.replaceAll(' ', '')].flatMap((cell) => verdicts[cell] ?? []);
    if (row.length !== callerKinds.length) throw new Error(`this row is not complete: ${line}`);
    const operation = number === undefined ? rows.at(-1)?.[1] : { number: Number(number) };
    if (number !== undefined && operation !== undefined) rows.push([name, operation]);
    for (const scope of scopes.split('+')) Object.assign(operation ?? {}, { [scope]: row });
  }
  return Object.fromEntries(rows);
}

export const specifiedOperations = parseTable();
