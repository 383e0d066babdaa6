import type {
  ConnectionCheck,
  ConnectionCheckName,
  ConnectionFailure,
  ConnectionOmission,
} from '../../domain/data/connection-checks.ts';

const passed: Readonly<Record<ConnectionCheckName, string>> = {
  address: 'The name of the storage is known, and leads where the service may connect to.',
  reach: 'The storage answers.',
  region: 'The bucket is in the region of the connection.',
  list: 'The objects below the base prefix can be listed.',
  write: 'A small object was written below the base prefix.',
  read: 'An object below the base prefix can be read.',
  delete: 'The object that the test wrote is deleted again. In a bucket with versions, a version of it stays.',
};

const failed: Readonly<Record<ConnectionFailure, string>> = {
  access_denied: 'The storage does not allow it to these credentials. Look at their policy, and at that of the bucket.',
  address_not_public:
    'The name of the storage leads to an address that is not public, such as one of a private network. Nothing was sent there; name another endpoint.',
  answer_too_large: 'The storage answers with more than S3 would. The endpoint may be something else; check it.',
  bucket_not_found: 'There is no such bucket. Check its name, and the endpoint.',
  certificate_invalid:
    'The certificate of the storage is not valid for its name. Check the endpoint, or renew the certificate.',
  content_differs: 'What was read is not what was written. The endpoint may not be an S3 storage; check it.',
  credentials_refused:
    'The storage does not take these credentials. Enter the access key anew; it may have been replaced.',
  name_not_found: 'The name of the storage is not known. Check the endpoint, or the region.',
  no_connection: 'The storage takes no connection, or ends it. Check the endpoint and its port.',
  not_s3: 'The answer is none of S3. The endpoint may be something else; check it.',
  redirected: 'The storage leads elsewhere, and the data proxy follows nobody. Name the endpoint that answers itself.',
  region_differs: 'The bucket is in another region. Correct the region of the connection.',
  storage_failed: 'The storage failed or did not understand. Try again, and look at the state of the storage.',
  timed_out: 'The storage did not answer in time. Try again; check the endpoint and its port.',
};

const notTried: Readonly<Record<ConnectionOmission, string>> = {
  earlier_failed: 'Not tried, since what comes before it failed.',
  not_asked: 'Not tried, since the test was to change nothing. Test with writing to try it.',
  not_told: 'The storage does not tell. It counts only in signatures, which were not tried.',
  nothing_to_read: 'There is no object below the base prefix that could be read. Test with writing to try it.',
  read_only: 'Not tried, since the connection is read-only.',
  role_of_the_proxy:
    'Not tried: the data proxy alone may assume this role. Place a private repository on the connection, and list and upload a file in it.',
};

export function passes(check: ConnectionCheckName): ConnectionCheck {
  return { check, state: 'passed', code: 'ok', message: passed[check] };
}

/** @param more a further sentence about this check */
export function fails(check: ConnectionCheckName, code: ConnectionFailure, more?: string): ConnectionCheck {
  return { check, state: 'failed', code, message: more === undefined ? failed[code] : `${failed[code]} ${more}` };
}

export function isNotTried(check: ConnectionCheckName, code: ConnectionOmission): ConnectionCheck {
  return { check, state: 'not_tried', code, message: notTried[code] };
}
