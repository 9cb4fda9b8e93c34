import { Module } from '@nestjs/common';
import { PartnerRegisterController } from './partner-register.controller.js';
import { PartnersController } from './partners.controller.js';

@Module({ controllers: [PartnersController, PartnerRegisterController] })
export class PartnersHttpModule {}
