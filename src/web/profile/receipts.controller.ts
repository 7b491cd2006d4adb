import { Get, Param, Query, StreamableFile, UseGuards } from '@nestjs/common';
import { Matches } from 'class-validator';
import type { Account } from '../../accounts/accounts.service.js';
import { NoParameters } from '../../errors/validation.pipe.js';
import { pdfFile, RECEIPT_NUMBER } from '../../orders/api/receipts.controller.js';
import { receiptView } from '../../orders/receipts/receipt.js';
import { Receipts } from '../../orders/receipts/receipts.js';
import { t } from '../../texts/texts.js';
import { FormPages, SessionGuard, SignedIn } from './form-pages.js';
import { definePage } from './page.js';

const receiptPage = definePage('receipt', { title: t.receipts.titles.receipt, section: '/profile/orders' });

class ReceiptPath {
  @Matches(RECEIPT_NUMBER, { message: 'There is no such receipt.' })
  number: string;
}

/** Receipts, tax invoices and adjustment notes, as pages and as files. */
@FormPages()
@UseGuards(SessionGuard)
export class ReceiptPagesController {
  constructor(private readonly receipts: Receipts) {}

  @Get('profile/receipts/:number.pdf')
  async download(
    @SignedIn() { id }: Account,
    @Param() { number }: ReceiptPath,
    @Query() _: NoParameters,
  ): Promise<StreamableFile> {
    return pdfFile(number, await this.receipts.draw(id, number));
  }

  @Get('profile/receipts/:number')
  async show(
    @SignedIn() { id }: Account,
    @Param() { number }: ReceiptPath,
    @Query() _: NoParameters,
  ): Promise<string> {
    return receiptPage({ ...receiptView(await this.receipts.read(id, number)), number });
  }
}
