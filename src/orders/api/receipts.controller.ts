import { Controller, Get, Param, Query, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags, ApiSchema } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { type Caller, CurrentCaller, ownerOf } from '../../access/caller.js';
import { RequiresScope } from '../../access/requirements.js';
import { ApiFailures } from '../../errors/api-failures.decorator.js';
import { ACCOUNT_FAILURES } from '../../errors/error-codes.js';
import { NoParameters } from '../../errors/validation.pipe.js';
import { count, OK, one, oneOf, orNull, shape, text, time } from '../../validation/shape.js';
import { type ReceiptFacts, type ReceiptTitle, titleOf } from '../receipts/receipt.js';
import { Receipts } from '../receipts/receipts.js';

/** As in documents and addresses; most digits of a bigint. */
export const RECEIPT_NUMBER = /^[1-9]\d{0,17}$/;

const KINDS = {
  taxInvoice: 'tax_invoice',
  receipt: 'receipt',
  refund: 'refund',
  adjustment: 'adjustment_note',
  credit: 'credit_note',
  correction: 'correction_note',
} as const satisfies Record<ReceiptTitle, string>;

class ReceiptNumber {
  @ApiProperty({ description: 'The number, as in the statement.', example: '1042' })
  @Matches(RECEIPT_NUMBER, { message: 'number must be the number of a receipt' })
  number: string;
}

@ApiSchema({ name: 'ReceiptSeller', description: 'The seller, as it was then.' })
class SellerDto extends shape({
  name: text('Its name.', 'Bowerbird Pty Ltd'),
  abn: orNull(text('Its ABN, digits; null: it issues no tax invoices.', '53004085616')),
  address: orNull(text('Its address.', '1 Example St, Hobart TAS 7000')),
}) {}

@ApiSchema({ name: 'ReceiptBuyer', description: 'The buyer: the registrant of the order.' })
class BuyerDto extends shape({
  name: text('Its legal name.', 'Coffee Cart Pty Ltd'),
  number: text('Its ABN or ACN.', 'ABN 53 004 085 616'),
}) {}

@ApiSchema({ name: 'Receipt', description: 'A document about a movement of the balance.' })
export class ReceiptResult extends shape({
  ...OK,
  number: text('Its number.', '1042'),
  kind: oneOf(
    Object.values(KINDS),
    'A tax invoice is of a sale with GST by a seller with an ABN, and an adjustment note of its reversal; a ' +
      'correction note of a failed refund or a dispute.',
    'tax_invoice',
  ),
  issued_at: time('When it was issued.', '2026-11-27T03:01:05.000Z'),
  seller: one(SellerDto),
  buyer: orNull(one(BuyerDto)),
  order: orNull(text('The number of the order; null where it is of none.', '2048')),
  words: text('For what.', 'slowcoffee.au, 1 year'),
  total_cents: count('Cents of AUD with GST.', 2_400),
  gst_cents: count('GST in it.', 218),
  adjusts: orNull(text('The number of the document that it adjusts or corrects; null: none.', null)),
  is_play_money: oneOf([true, false], 'Whether no real money is meant: a demo.', false),
}) {}

/** Receipts, tax invoices and adjustment notes of the account of a key. */
@ApiTags('Orders')
@Controller('api/v1/balance/receipts')
export class ReceiptsController {
  constructor(private readonly receipts: Receipts) {}

  @Get(':number')
  @RequiresScope('orders:read')
  @ApiOperation({
    operationId: 'getReceipt',
    summary: 'A receipt or tax invoice',
    description:
      'Of a movement of the balance, by `receipt` of the statement. It never changes. Costs nothing.',
  })
  @ApiOkResponse({ type: ReceiptResult, description: 'The document.' })
  @ApiFailures(...ACCOUNT_FAILURES, 'not_found')
  async read(
    @Query() _: NoParameters,
    @Param() { number }: ReceiptNumber,
    @CurrentCaller() caller: Caller,
  ): Promise<ReceiptResult> {
    return toReceiptDto(await this.receipts.read(ownerOf(caller), number));
  }

  @Get(':number/pdf')
  @RequiresScope('orders:read')
  @ApiOperation({
    operationId: 'downloadReceipt',
    summary: 'The same as PDF',
    description: 'One page; the same bytes each time. Costs nothing.',
  })
  @ApiOkResponse({
    description: 'The document.',
    content: { 'application/pdf': { schema: { type: 'string', format: 'binary' } } },
  })
  @ApiFailures(...ACCOUNT_FAILURES, 'not_found')
  async download(
    @Query() _: NoParameters,
    @Param() { number }: ReceiptNumber,
    @CurrentCaller() caller: Caller,
  ): Promise<StreamableFile> {
    return pdfFile(number, await this.receipts.draw(ownerOf(caller), number));
  }
}

export function pdfFile(number: string, pdf: Buffer): StreamableFile {
  return new StreamableFile(pdf, {
    ...{ type: 'application/pdf', disposition: `attachment; filename="bowerbird-${number}.pdf"` },
    length: pdf.length,
  });
}

function toReceiptDto({ receipt, buyer, order }: ReceiptFacts): ReceiptResult {
  const { number, at, seller, words, totalCents, gstCents, adjusts } = receipt;
  const { name, abn, address, isPlayMoney } = seller;
  return {
    ...{ ok: true, number, kind: KINDS[titleOf(receipt)], issued_at: at.toISOString() },
    ...{ seller: { name, abn, address }, buyer, order, words, adjusts },
    ...{ total_cents: totalCents, gst_cents: gstCents, is_play_money: isPlayMoney },
  };
}
