import { daySeconds } from './time.ts';

/** The figures of the specification and of the service. Units are in the names. */
export const limits = {
  identifierLengthMin: 3,
  identifierLengthMax: 40,
  serviceAccountIdLengthMax: 82,
  profileNameLengthMax: 128,
  profileBioLengthMax: 1024,
  profileLocationLengthMax: 128,
  webUrlLengthMax: 2048,
  apiKeyNameLengthMax: 128,
  serviceAccountDescriptionLengthMax: 256,
  serviceAccountKeyLabelLengthMax: 64,
  repositoryMetaLengthMax: 4096,
  licenseLengthMax: 256,
  contactLengthMax: 320,
  keywordsMax: 32,
  keywordLengthMax: 64,
  /** Size of all metadata of a repository, as JSON in UTF-8. */
  repositoryMetaBytesMax: 16 * 1024,
  /** Repositories of one account. An administrator may set another limit, up to `repositoriesEverMax`. */
  repositoriesMax: 1000,
  repositoriesEverMax: 10_000,
  accountsCreatedPerDayMax: 10,
  /** Times per hour that an account may make data public again, because each revocation costs invalidations. */
  reopeningsPerHourMax: 6,
  /** Days for which the service remembers a revoked path. Becoming public again then counts. */
  closedPathRetentionDays: 30,
  requestBodyBytesMax: 64 * 1024,
  listPageMax: 1000,
  /** Requests to the data proxy for one page: a folder's list and README, or a file's size and beginning. */
  dataRequestsPerPageMax: 2,
  /** Files and folders on one HTML page. */
  folderPageMax: 200,
  cataloguePageMax: 24,
  /** HTML rendered from one text of a user: a README, a table, a list, JSON-LD, or commands. */
  renderedTextBytesMax: 1_000_000,
  pageBytesMax: 5_000_000,
  /** A README above either limit is shown as plain text. The Markdown parser needs about 300 bytes per token. */
  markdownCharactersMax: 128 * 1024,
  markdownTokensMax: 50_000,
  /** A longer paragraph is shown as plain text. */
  markdownParagraphCharactersMax: 8 * 1024,
  featuredRepositoriesMax: 12,
  logoBytesMax: 64 * 1024,
  /** Repositories in one part of a divided sitemap. The format allows 50,000, but each takes up to 200 bytes. */
  sitemapPartSize: 10_000,
  /** Size of a part with the repositories that were listed after the division. */
  sitemapPartMax: 12_000,
  /** The number of buckets that always fits into a response of the edge function. */
  bucketsPageMax: 5000,
  revocationBatchMax: 1000,
  /** Enough for 1,000 pairs, as JSON. */
  revocationBatchBytesMax: 192 * 1024,
  /** The partner program sends any number of matches in one report. */
  foundKeyReportBytesMax: 1024 * 1024,
  foundUrlBytesMax: 512,
  /** Attempts for one change, each with a new read, while other changes conflict. */
  changeTriesMax: 6,
  idempotencyStoredSeconds: daySeconds,
  /** A request that died holds its idempotency key for this time. API Gateway ends each request after 30 s. */
  idempotencyRunningSeconds: 60,

  /** Invitations from one account, with its repositories, to one other account. */
  openInvitationsToOneMax: 3,
  invitationsToOnePerDayMax: 3,
  invitationPauseAfterRejectionHours: 24,
  /** The age below which an account counts as young, and its number of invitations in 24 hours. */
  youngAccountDays: 7,
  invitationsOfYoungAccountPerDayMax: 20,
  openInvitationsOfScopeMax: 100,
  invitationLifeDays: 30,
  /** Days for which an offer of a repository stays open, and then days for which its result is shown. */
  transferOfferLifeDays: 14,
  closedTransferRetentionDays: 30,
  acceptedMembershipsMax: 1000,
  /** Owned organizations of an account at its deletion. They end in one transaction of at most 100 items. */
  ownedOrganizationsAtDeletionMax: 40,
  /** A membership that was revoked earlier is hidden and deleted. */
  revokedMembershipRetentionDays: 400,
  blockedAccountsMax: 1000,

  /** Keys of one account or one repository that are neither revoked nor expired. */
  apiKeysMax: 200,
  /** At this size, a list of keys drops some of its oldest revoked or expired keys when a key is added. */
  keysOfListMax: 500,
  keysDroppedAtOnceMax: 20,
  /** Keys that are not revoked. */
  serviceAccountKeysMax: 50,
  trustedWorkflowsMax: 100,
  /** Trusted workflows of one repository and origin, which differ in their conditions. */
  workflowAlternativesMax: 5,
  /** Claims of a trusted workload in addition to `sub`. */
  trustedClaimsMax: 8,
  grantsMax: 1000,
  /** Repositories that the view of a leaked key names. */
  leakedKeyRepositoriesMax: 100,
  /** Keys that an owner sees before a repository becomes federated-only, and the service accounts examined for them. */
  writingKeysShownMax: 500,
  writingServiceAccountsMax: 25,
  keyUseRecordedEverySeconds: 60,
  /** The last use of a key without expiry stays stored for five years. */
  keyUseRetentionDays: 5 * 365,

  sessionDurationDefaultSeconds: 3600,
  sessionDurationMinSeconds: 900,
  sessionDurationMaxSeconds: 43_200,
  /** Credentials for a page, which renews them by itself. */
  pageSessionDurationMaxSeconds: 3600,
  dataCredentialsPerMinuteMax: 60,
  /** A new version of a rotating secret is readable everywhere this long before its first use. */
  secretActivationSeconds: 600,
  /** An old session key opens tokens for this long after its successor took over: 12 h of token life, 1 h of slack. */
  sessionKeyRetentionSeconds: 13 * 3600,
  sessionTokenBytesMax: 600,
  /** Keys and workflows of a service account whose sessions were ended, and the time after which none is left. */
  endedSourcesMax: 150,
  endedSourceRetentionSeconds: 13 * 3600,
  ciTokenLeewaySeconds: 60,
  /** Life of the access tokens with which tools of users sign in to data. Tokens of the site live for one hour. */
  dataTokenLifeSeconds: 70 * 60,
  siteTokenLifeSeconds: 3600,
  /** Life of a sign-in, however often the client exchanges the refresh token. */
  signedInSeconds: 12 * 3600,
  /** The exchange refuses a user's token with less time left than this. Data credentials end with the token. */
  userTokenLeftMinSeconds: 60,
  /** TTL of the cached OIDC client list, its TTL while it cannot be read, and the pause after a failure. */
  userClientsRefreshSeconds: 300,
  userClientsUsedInOutageSeconds: 24 * 3600,
  userClientsFailureRememberedSeconds: 10,
  /** Size of a refused subject in responses and in the audit trail. */
  refusedSubjectBytesMax: 512,
  /** Distinct refusals that reach the audit trail of one service account. The service only counts the others. */
  refusedSignInsPerHourMax: 20,
  /** Minimum time between two recorded refusals for one service account and one cause. */
  refusedSignInRecordedEverySeconds: 60,
  refusedSignInRetentionDays: 30,
  /** Claims that a record of a refused sign-in stores to explain the refusal, and the length of each value. */
  refusedClaimsMax: 16,
  refusedClaimLengthMax: 512,
  /** Refusals recorded for the tokens of one repository owner at one CI system, for all roles together. */
  refusedSignInsPerSourcePerMinuteMax: 60,
  /** Maximum time for which the response of an exchange waits until its sign-in is recorded. */
  signInWriteMs: 500,
  /** Records of accepted sign-ins must outlive the table's stream, which delivers them within a day. */
  signInRecordRetentionDays: 2,
  /** Records of a minute that a warm instance does not write again. */
  signInRecordsRememberedMax: 1000,
  stsBodyBytesMax: 64 * 1024,
  /** Limit of one warm instance, unless the deployment sets another. CI runners share IP addresses. */
  exchangesPerIpPerMinute: 1000,
  exchangesPerKeyPerMinute: 100,

  partnerKeysRefreshSeconds: 3600,
  partnerKeysCachedInOutageSeconds: daySeconds,
  partnerKeysFetchEverySeconds: 60,
  issuerFetchTimeoutMs: 2000,
  issuerFetchBytesMax: 256 * 1024,
  issuerUnknownKidFetchEverySeconds: 60,
  issuerKeysRefreshSeconds: 3600,
  issuerKeysCachedInOutageSeconds: daySeconds,
  issuerFailureRememberedSeconds: 10,
  /** TTL of the cached sign-in endpoints of the issuer, for the pages of the site. */
  issuerEndpointsRefreshSeconds: 3600,
  issuerEndpointsUsedInOutageSeconds: daySeconds,

  registeredIssuersMax: 10,
  /** Attempts of one account to register an issuer. Each one sends requests to a host that the caller names. */
  issuerRegistrationsPerHourMax: 30,
  issuerBytesMax: 512,
  issuerKeysMax: 20,
  issuerKeyIdLengthMax: 256,
  /** Time for the discovery document and the keys together, and the size of each. */
  registeredIssuerFetchMs: 5000,
  registeredIssuerBytesMax: 64 * 1024,
  /** Keys of a registered issuer count for this long after the last successful fetch. */
  registeredKeysCountSeconds: daySeconds,
  /** Interval of fetches while the issuer has a trust that was used in the last days, and otherwise. */
  issuerUsedDays: 30,
  usedIssuerFetchEverySeconds: 15 * 60,
  unusedIssuerFetchEverySeconds: 6 * 3600,
  /** Minimum time from any fetch to one that an unknown key ID causes. */
  issuerEarlyFetchEverySeconds: 5 * 60,
  /** The highest number of trusts that the list of issuers shows. */
  countedTrustsMax: 100,
  /** Issuers of each of 16 shards that one run handles. If all of them are slow, a run takes less than a minute. */
  issuersOfShardPerRunMax: 10,

  signatureFreshnessSeconds: 15 * 60,
  presignedLifeMaxSeconds: 604_800,
  /** TTL of authorization data for writes, copies, and exchanges. */
  writeAuthorizationTtlSeconds: 60,
  /** TTL of authorization data for restricted reads. */
  readAuthorizationTtlSeconds: 300,
  /** TTL of open data in CloudFront: the default, and the maximum that a deployment can set. */
  openDataCacheSeconds: 60,
  openDataCacheSecondsMax: 300,
  /** TTL of a 404 for an object. It is short because a client may write the object at any moment. */
  missingObjectCacheSeconds: 5,
  /** Timeout of the Lambda of an operation or a page, and therefore the maximum age of the first item that it read. */
  operationSecondsMax: 15,
  /** TTL of the data behind lists of accounts or repositories. It is short, so that new ones appear soon. */
  listedNamesAgeMaxSeconds: 60,
  connectionCredentialsTtlSeconds: 300,
  /** A role that another role assumes (role chaining), as at the edge, has a session of at most one hour. */
  assumedRoleDurationSeconds: 3600,
  assumedRoleRenewedBeforeSeconds: 300,
  /** Life of a token with which the service assumes a role of a data connection. */
  storageTokenSeconds: 300,
  /** TTL of the public keys of the issuer for storage, in one instance. */
  identityKeysTtlSeconds: 3600,
  assumedRoleFailureRememberedSeconds: 10,

  /** TTL of the result of a bucket check after a 404, and the timeout of the check. */
  existingBucketTtlSeconds: 30,
  missingBucketTtlSeconds: 10,
  bucketCheckMs: 2000,
  storageErrorBytesMax: 64 * 1024,

  /** Life of the record of a deletion, which the cleanup uses. */
  deletedRepositoryRecordDays: 30,
  auditRetentionDays: 400,
  expiredKeyRetentionDays: 400,
  edgeAnswerBytesMax: 1024 * 1024,
  /** Elements and comments of one XML document. The largest valid one completes 10,000 parts with checksums. */
  xmlElementsMax: 150_000,
  /** Characters of one element's text as written. A key of 1,024 bytes takes at most 10 for each of them. */
  xmlTextCharactersMax: 16 * 1024,
  /** Part of a request body that Lambda@Edge passes to the function. */
  edgeBodyBytesMax: 1024 * 1024,

  /** Size of a key with the repository's ID, as the client counts it, and of the key in a request to storage. */
  objectKeyBytesMax: 1024,
  /** Limits of S3. They explain a refusal by storage that has only a status. */
  oneUploadBytesMax: 5 * 1024 ** 3,
  objectMetadataBytesMax: 2048,
  objectTagsMax: 10,
  objectTagKeyLengthMax: 128,
  objectTagValueLengthMax: 256,
  partNumberMax: 10_000,

  /** Indexed words of one repository, and indexed letters of one word. */
  searchWordsMax: 128,
  searchWordLettersMax: 32,
  searchTagsMax: 64,
  /** Length of a search text, and the number of its words that the search uses. */
  searchTextLengthMax: 256,
  searchedWordsMax: 8,
  /** The search finds words of at least this length with one letter wrong, missing, extra, or two swapped. */
  misspeltWordLettersMin: 5,
  searchPageMax: 100,
  countedMatchesMax: 10_000,
  /** Limits of the search for an account to invite. */
  searchedPrefixLengthMin: 3,
  foundAccountsMax: 10,
  accountSearchesPerMinuteMax: 30,
  /** Size of the list of connections in one bucket. An item of the table has at most 400 KB. */
  storageBucketBytesMax: 300 * 1024,
  /** Data connections of one account. */
  accountConnectionsMax: 20,
  /** Tests of data connections by one user. The removal of the test object has its own time. */
  connectionTestsPerMinuteMax: 10,
  connectionTestMs: 7000,
  connectionTestRequestMs: 3000,
  /** Letters of a folded display name in an index key. Folding can turn one letter into several. */
  placedNameLettersMax: 64,
  /** Interval at which an instance reads changes after its index was built, and the maximum age of its data. */
  searchIndexRefreshSeconds: 10,
  searchIndexAgeMaxSeconds: 300,
  searchIndexFailureRememberedSeconds: 5,
  /** Overlap of two reads of changes, for clocks that differ and changes that arrive late. */
  searchChangesOverlapSeconds: 60,
  searchChangeWriteMs: 10_000,
  /** Changes since the last build of the index that an instance holds. */
  searchChangesRetainedMax: 10_000,
  /** Both outlive the use of an index. Parts live much longer, so that only unreferenced parts expire. */
  searchChangeRetentionDays: 3,
  searchIndexPartRetentionDays: 30,
  /** The index is rebuilt after this many changes, after this time with changes, and after this time in any case. */
  searchChangesBeforeBuildMax: 500,
  searchIndexWithChangesMinutesMax: 60,
  searchIndexHoursMax: 24,
} as const;
