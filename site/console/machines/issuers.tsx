import { useState } from 'preact/hooks';
import { issuerSystems } from '../../../lib/pages/site/machines/workflow-file.ts';
import { api, dataOf, onceOnly, type Schemas } from '../api/client.ts';
import { atField } from '../api/problem.ts';
import { Button } from '../components/button.tsx';
import { useConfirm } from '../components/dialogs.tsx';
import { Form } from '../components/form.tsx';
import { Lines, List, useList } from '../components/list.tsx';
import { notify } from '../components/notices.tsx';
import { endOnce } from '../components/stale.tsx';
import { Minute } from '../components/time.tsx';
import type { AccountViewProps } from '../routes.ts';

type Issuer = Schemas['ListedIssuer'];
type Kind = Issuer['kind'];

const kindLabels: Readonly<Record<Kind, string>> = {
  github: 'GitHub Enterprise Server',
  gitlab: 'GitLab on an own host',
  forgejo: 'Forgejo',
  kubernetes: 'Kubernetes cluster',
  oidc: 'Another OpenID Connect issuer',
};
const kindHints: Readonly<Record<Kind, string>> = {
  github: 'https://<host>/_services/token, or the issuer of the enterprise.',
  gitlab: 'The URL of the GitLab host.',
  forgejo: 'The URL of the host, followed by /api/actions.',
  kubernetes:
    'The issuer of the cluster’s service accounts: kubectl get --raw /.well-known/openid-configuration shows it.',
  oidc: 'Such as SPIFFE, Jenkins, AWS, or Google Cloud.',
};

const failures: Readonly<Record<NonNullable<Issuer['last_failure']>, string>> = {
  address_not_public: 'Its host has an IP address that is not public.',
  answer_too_large: 'Its answer is too large.',
  certificate_invalid: 'The certificate of its host is not valid.',
  keys_url_refused: 'The URL of its keys does not follow the rules.',
  name_not_found: 'The name of its host was not found.',
  no_connection: 'Its host does not accept connections.',
  no_usable_key: 'It publishes no usable key.',
  not_a_document: 'Its answer is not a valid document.',
  other_issuer: 'Its document names another issuer.',
  redirected: 'Its answer is a redirect.',
  status_refused: 'Its answer has an error status.',
  timed_out: 'It did not answer in time.',
  too_many_keys: 'It publishes too many keys.',
};

const newIssuer = { issuer: '', kind: 'kubernetes' as Kind };

/**
 * Manages the token issuers that an account registered. The account's service accounts can trust workloads of these
 * issuers.
 */
export function View({ account: { account_id, may } }: AccountViewProps) {
  const { confirm, confirmDialog } = useConfirm();
  const path = { account_id };
  const list = useList((query) => api.GET('/accounts/{account_id}/issuers', { params: { path, query } }), [account_id]);
  const confirmDeletion = ({ issuer, issuer_id, trust_count }: Issuer) =>
    confirm({
      title: 'Delete this issuer?',
      action: 'Delete',
      stops: [
        `Workloads with tokens of ${issuer} can no longer sign in. ${describeTrusts(trust_count)}`,
        'Issued credentials stay valid until they expire.',
        'The trusted workflows remain in their lists. They work again if you register the same issuer again, so remove them too.',
      ],
      onConfirm: async () => {
        const params = { path: { ...path, issuer_id } };
        const call = dataOf(api.DELETE('/accounts/{account_id}/issuers/{issuer_id}', { params }));
        await endOnce(call, 'The issuer is deleted.');
        await list.reload();
      },
    });
  return (
    <>
      <p class="soft">
        Service accounts can trust workloads of these issuers, in addition to those of this site. An issuer decides who
        signs in: register only issuers that you control or trust.
      </p>
      {may('registerIssuer') && <NewIssuer account_id={account_id} onDone={list.reload} />}
      <List
        list={list}
        label="Issuers of workloads"
        columns={[
          { title: 'Issuer', cell: ({ issuer, kind }) => <Lines of={[<code>{issuer}</code>, issuerSystems[kind]]} /> },
          { title: 'Keys', class: 'lines', cell: describeKeys },
          {
            title: 'Used by',
            isLabeled: true,
            cell: ({ trust_count, last_used_at }) => (
              <Lines
                of={[
                  `${trust_count === trustsMax ? `${trustsMax} or more` : trust_count} trusted`,
                  last_used_at === null ? 'no sign-in yet' : `last sign-in ${last_used_at.slice(0, 10)}`,
                ]}
              />
            ),
          },
          {
            title: 'Actions',
            cell: (each) =>
              may('deleteIssuer') && (
                <Button kind="small" label="Delete …" of={each.issuer} onClick={() => confirmDeletion(each)} />
              ),
          },
        ]}
        empty="No issuer is registered. Register your Kubernetes cluster, your own GitLab, or another issuer to trust its workloads."
      />
      {confirmDialog}
    </>
  );
}

interface NewIssuerProps {
  account_id: string;
  onDone: () => Promise<void>;
}

/** Registers an issuer. The hint below the field for the URL depends on the kind of issuer. */
function NewIssuer({ account_id, onDone }: NewIssuerProps) {
  const [values, setValues] = useState(newIssuer);
  const register = async () => {
    const params = { path: { account_id }, header: onceOnly() };
    const body = { ...values, issuer: values.issuer.trim() };
    const call = dataOf(api.POST('/accounts/{account_id}/issuers', { params, body }));
    await call.catch((error) => {
      throw atField(atField(error, 'issuer_unusable', 'issuer'), 'already_registered', 'issuer');
    });
    notify('The issuer is registered. Service accounts can trust its workloads.');
    setValues(newIssuer);
    await onDone();
  };
  return (
    <Form
      summary="Register an issuer"
      onSubmit={register}
      submitLabel="Register"
      values={values}
      onChange={setValues}
      fields={[
        { name: 'kind', label: 'Kind', options: Object.entries(kindLabels) as [Kind, string][] },
        {
          name: 'issuer',
          label: 'Issuer',
          isRequired: true,
          isVerbatim: true,
          maxLength: 512,
          hint: `${kindHints[values.kind]} It must equal the claim “iss” of the tokens: a slash at the end makes a difference.`,
        },
      ]}
    />
  );
}

/** The largest number of trusted workflows that the API counts for an issuer. */
const trustsMax = 100;

function describeTrusts(count: number): string {
  if (count === 0) return 'No workflow of this account trusts it.';
  if (count === 1) return 'One trusted workflow stops working.';
  return `${count === trustsMax ? `${trustsMax} or more` : count} trusted workflows stop working.`;
}

/**
 * Shows the result of the last attempt to fetch the issuer's signing keys. After a failure, the keys of the last
 * success stay valid for a day.
 */
function describeKeys({ key_ids, keys_fetched_at, last_attempt_at, last_failure }: Issuer) {
  const fetched = keys_fetched_at && <Minute time={Date.parse(keys_fetched_at)} />;
  if (last_failure === null)
    return (
      <Lines
        of={[
          <span class="badge live">{key_ids.length === 1 ? '1 key' : `${key_ids.length} keys`}</span>,
          <>fetched {fetched}</>,
        ]}
      />
    );
  return (
    <Lines
      of={[
        <span class="badge over">fetch failed</span>,
        failures[last_failure],
        <>
          tried <Minute time={Date.parse(last_attempt_at)} />
        </>,
        <>keys of {fetched ?? 'never'} count for 24 hours</>,
      ]}
    />
  );
}
