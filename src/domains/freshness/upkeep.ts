/** How often the threshold follows the queue, and moments are looked over. */
export const UPKEEP_EVERY_MS = 60_000;
/** How often the rates are computed anew from the answers. */
export const RATES_EVERY_MS = 3_600_000;
/** Names that are due, the earliest first, of which each upkeep looks whether they still would be. */
export const MAX_DUE_LOOKED_AT = 1_000;
/** Other names that each upkeep looks over, one after the other: a million in three and a half days. */
export const SWEPT_AT_ONCE = 200;
