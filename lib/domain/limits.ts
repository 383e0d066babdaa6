import { daySeconds } from './time.ts';

/** Numbers of the specification, each once. Units are in the names. */
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
  /** Of all of it, as JSON in UTF-8. */
  repositoryMetaBytesMax: 16 * 1024,
  /** Of one account, unless an administrator gave it another limit, up to the most there is. */
  repositoriesMax: 1000,
  repositoriesEverMax: 10_000,
  accountsCreatedPerDayMax: 10,
  /** Times an account makes data public again in a clock hour. Each closing costs invalidations, and each of them needs open data. */
  reopeningsPerHourMax: 6,
  /** How long a path counts as closed before. Caches forget its data after minutes; this bounds how often a path opens for free. */
  closedPathRetentionDays: 30,
  requestBodyBytesMax: 64 * 1024,
  listPageMax: 1000,
  /** Requests to the data proxy for one page: of a folder its list and its README, of a file its size and its beginning. */
  dataRequestsPerPageMax: 2,
  /** Files and folders on one page for people. */
  folderPageMax: 200,
  cataloguePageMax: 24,
  /** HTML that is rendered from one text of somebody: a README, a table, a list, JSON-LD, commands. */
  renderedTextBytesMax: 1_000_000,
  pageBytesMax: 5_000_000,
  /** A longer README, or one of more tokens, is shown as plain text. The parser needs some 300 bytes a token. */
  markdownCharactersMax: 128 * 1024,
  markdownTokensMax: 50_000,
  /** A longer paragraph is shown as plain text. */
  markdownParagraphCharactersMax: 8 * 1024,
  featuredRepositoriesMax: 12,
  logoBytesMax: 64 * 1024,
  /**
   * Repositories in one part of the sitemap when it is divided. The format takes 50,000, but a Lambda answers with 6 MB at
   * most, and each takes up to 200 bytes.
   */
  sitemapPartSize: 25_000,
  /** With those that were listed since it was divided. */
  sitemapPartMax: 28_000,
  /** As many as are sure to fit into an answer of the edge. */
  bucketsPageMax: 5000,
  revocationBatchMax: 1000,
  /** A thousand pairs, as JSON. */
  revocationBatchBytesMax: 192 * 1024,
  /** The partner programme sends any number of matches in one report. */
  foundKeyReportBytesMax: 1024 * 1024,
  foundUrlBytesMax: 512,
  /** Of a change of one thing, from its reading on, each time that another change came in between. */
  changeTriesMax: 6,
  idempotencyStoredSeconds: daySeconds,
  /** A request that died under way holds its key this long; API Gateway ends each after 30 s. */
  idempotencyRunningSeconds: 60,

  /** Of one account, its repositories included, to one that it invites. */
  openInvitationsToOneMax: 3,
  invitationsToOnePerDayMax: 3,
  invitationPauseAfterRejectionHours: 24,
  /** An account younger than this many days makes this many invitations in 24 hours. */
  youngAccountDays: 7,
  invitationsOfYoungAccountPerDayMax: 20,
  openInvitationsOfScopeMax: 100,
  invitationLifeDays: 30,
  /** Of an offer of a repository to another account; answered, it tells for this long how. */
  transferOfferLifeDays: 14,
  closedTransferRetentionDays: 30,
  acceptedMembershipsMax: 1000,
  /** Whoever owns more leaves some before the account is deleted: their ends are one transaction, of a hundred items. */
  ownedOrganizationsAtDeletionMax: 40,
  /** What was revoked longer ago is shown to nobody, and deleted. */
  revokedMembershipRetentionDays: 400,
  blockedAccountsMax: 1000,

  /** Neither revoked nor expired, of one account or one repository. */
  apiKeysMax: 200,
  /** A list of keys that holds so many loses its oldest revoked or expired ones, some at a time, when one is added. */
  keysOfListMax: 500,
  keysDroppedAtOnceMax: 20,
  /** Not revoked. */
  serviceAccountKeysMax: 50,
  trustedWorkflowsMax: 100,
  grantsMax: 1000,
  keyUseRecordedEverySeconds: 60,
  /** Of a key that lasts for ever and is used no more, the last use is known for five years. */
  keyUseRetentionDays: 5 * 365,

  sessionDurationDefaultSeconds: 3600,
  sessionDurationMinSeconds: 900,
  sessionDurationMaxSeconds: 43_200,
  /** Of credentials for a page, which gets new ones by itself. */
  pageSessionDurationMaxSeconds: 3600,
  dataCredentialsPerMinuteMax: 60,
  /** A new version of a rotating secret (session keys, the master of API keys) is readable everywhere this long before it is used. */
  secretActivationSeconds: 600,
  /** An old session key opens tokens this long after its successor took over: 12 h of life and an hour of slack. */
  sessionKeyRetentionSeconds: 13 * 3600,
  sessionTokenBytesMax: 600,
  ciTokenLeewaySeconds: 60,
  /** Of the access tokens with which people's tools sign in to data; a token of the site's lives an hour. */
  dataTokenLifeSeconds: 70 * 60,
  siteTokenLifeSeconds: 3600,
  /** From the sign-in on, however often the refresh token was exchanged for another. */
  signedInSeconds: 12 * 3600,
  /** A person's token signs in to data for as long as it lasts, an hour without asking; with less than this left, not at all. */
  personTokenLeftMinSeconds: 60,
  /** What clients of people there are: how long that counts, and for how long while it cannot be read again. */
  peopleClientsRefreshSeconds: 300,
  peopleClientsKeptInOutageSeconds: 24 * 3600,
  peopleClientsFailureRememberedSeconds: 10,
  /** Of a refused subject as it is shown and stored in the audit trail. */
  refusedSubjectBytesMax: 512,
  /** Distinct refusals that reach the audit trail of one service account; the rest is counted. */
  refusedSignInsPerHourMax: 20,
  /** For one service account and cause. */
  refusedSignInNotedEverySeconds: 60,
  refusedSignInRetentionDays: 30,
  /** Refusals recorded for the tokens of one repository owner at one CI system, whatever roles they name. */
  refusedSignInsPerSourcePerMinuteMax: 60,
  /** An answer of the exchange waits no longer for the record of its sign-in. */
  signInWriteMs: 500,
  /** Records of accepted sign-ins outlast the stream, which delivers them within a day. */
  signInRecordRetentionDays: 2,
  stsBodyBytesMax: 64 * 1024,
  /** Of one warm instance, unless the deployment says otherwise. CI runners share IP addresses. */
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
  /** Where people sign in, as the pages of the site are told. */
  issuerEndpointsRefreshSeconds: 3600,
  issuerEndpointsKeptInOutageSeconds: daySeconds,

  signatureFreshnessSeconds: 15 * 60,
  presignedLifeMaxSeconds: 604_800,
  /** Age of authorization facts used for writes, copies and exchanges. */
  writeAuthorizationTtlSeconds: 60,
  /** Age of authorization facts used for restricted reads. */
  readAuthorizationTtlSeconds: 300,
  /** For how long CloudFront keeps answers about open data, unless the deployment says otherwise, and at most. */
  openDataCacheSeconds: 60,
  openDataCacheSecondsMax: 300,
  /** … that an object is not there: it may be written any moment. */
  missingObjectCacheSeconds: 5,
  /** How long a function of the API or of a page may take, and so how old the first thing that it read is at most. */
  operationSecondsMax: 15,
  /** Age of what a list of accounts or repositories is made from: new ones are soon in it. */
  listedNamesAgeMaxSeconds: 60,
  connectionCredentialsTtlSeconds: 300,
  /** A role assumed by a role, as an edge function's is, lasts an hour at most. */
  assumedRoleDurationSeconds: 3600,
  assumedRoleRenewedBeforeSeconds: 300,
  assumedRoleFailureRememberedSeconds: 10,

  /** Whether the bucket behind a 404 is there: how long that counts, and how long a look at it may take. */
  existingBucketTtlSeconds: 30,
  missingBucketTtlSeconds: 10,
  bucketLookMs: 2000,
  storageErrorBytesMax: 64 * 1024,

  /** A note of a deletion, by which what it left is removed. */
  deletedRepositoryNotedDays: 30,
  auditRetentionDays: 400,
  expiredKeyRetentionDays: 400,
  edgeAnswerBytesMax: 1024 * 1024,
  /** Of a request's body, as much as a function at the edge is shown. */
  edgeBodyBytesMax: 1024 * 1024,

  /** Of a key as the client counts it, the repository's name included; and of what a request to storage names. */
  objectKeyBytesMax: 1024,
  /** S3's own, by which a refusal of storage is told that says nothing but its status. */
  oneUploadBytesMax: 5 * 1024 ** 3,
  objectMetadataBytesMax: 2048,
  objectTagsMax: 10,
  objectTagKeyLengthMax: 128,
  objectTagValueLengthMax: 256,
  partNumberMax: 10_000,

  /** Of the words of one repository, and of the letters of a word, what the search of the catalogue knows. */
  searchWordsMax: 128,
  searchWordLettersMax: 32,
  searchTagsMax: 64,
  /** Of a search: its text, and the words of it that count. */
  searchTextLengthMax: 256,
  searchedWordsMax: 8,
  /** Words of so many letters are found with one letter wrong, missing, extra, or two swapped. */
  misspeltWordLettersMin: 5,
  searchPageMax: 100,
  countedMatchesMax: 10_000,
  /** Of a search for an account to invite. */
  searchedPrefixLengthMin: 3,
  foundAccountsMax: 10,
  accountSearchesPerMinuteMax: 30,
  /** Of the tests of data connections, by one person. Each ends within the time of its function: what removes the written object has time of its own. */
  connectionTestsPerMinuteMax: 10,
  connectionTestMs: 7000,
  connectionTestRequestMs: 3000,
  /** Of a folded display name, as much as its place in an index has: folding can make a letter many. */
  placedNameLettersMax: 64,
  /** How often an instance looks what changed since its index was built, and how old what it knows may be. */
  searchIndexRefreshSeconds: 10,
  searchIndexAgeMaxSeconds: 300,
  searchIndexFailureRememberedSeconds: 5,
  /** How far back it looks beyond its last look: for clocks that differ, and changes on their way. */
  searchChangesOverlapSeconds: 60,
  searchChangeWriteMs: 10_000,
  /** Of changes that the index does not have, an instance keeps the last. */
  searchChangesKeptMax: 10_000,
  /** Longer than an index is in use; and its parts much longer, so that only what nobody names any more ends by itself. */
  searchChangeRetentionDays: 3,
  searchIndexPartRetentionDays: 30,
  /** The index is built anew after so many changes, after so long where there are any, and after so long anyway. */
  searchChangesBeforeBuildMax: 500,
  searchIndexWithChangesMinutesMax: 60,
  searchIndexHoursMax: 24,
} as const;
